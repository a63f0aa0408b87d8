// The scripts for terminals that only AppleScript can drive. Constant: what varies comes as arguments of `run`, and becomes
// a word of shell only through the system's own `quoted form of`. `is running` first, so that looking for a tab starts
// nothing. Written after Apple's and iTerm2's published dictionaries; no Mac has run them here.

/** Opens a window in Terminal.app in which the arguments are run. */
export const OPEN_APPLE_TERMINAL = `on run argv
  set commandLine to "exec"
  repeat with argument in argv
    set commandLine to commandLine & " " & quoted form of (argument as text)
  end repeat
  tell application "Terminal"
    activate
    do script commandLine
  end tell
end run`;

/** Opens a window in iTerm2 in which the arguments are run. */
export const OPEN_ITERM2 = `on run argv
  set commandLine to "exec"
  repeat with argument in argv
    set commandLine to commandLine & " " & quoted form of (argument as text)
  end repeat
  tell application "iTerm2"
    activate
    set newWindow to (create window with default profile)
    tell current session of newWindow to write text commandLine
  end tell
end run`;

/** Brings the tab of Terminal.app with the tty of the first argument to the front; prints "found" if there is one. */
export const FOCUS_APPLE_TERMINAL = `on run argv
  set wantedTty to item 1 of argv
  if application "Terminal" is not running then return "none"
  tell application "Terminal"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        if (tty of aTab) is wantedTty then
          set selected of aTab to true
          set frontmost of aWindow to true
          activate
          return "found"
        end if
      end repeat
    end repeat
  end tell
  return "none"
end run`;

/** The same for iTerm2, whose tabs may hold several sessions. */
export const FOCUS_ITERM2 = `on run argv
  set wantedTty to item 1 of argv
  if application "iTerm2" is not running then return "none"
  tell application "iTerm2"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        repeat with aSession in sessions of aTab
          if (tty of aSession) is wantedTty then
            select aWindow
            tell aTab to select
            tell aSession to select
            activate
            return "found"
          end if
        end repeat
      end repeat
    end repeat
  end tell
  return "none"
end run`;

/** For tmux -CC: iTerm2 shows the selected tmux window by itself, and only has to come to the front. */
export const ACTIVATE_ITERM2 = `on run argv
  if application "iTerm2" is not running then return "none"
  tell application "iTerm2" to activate
  return "found"
end run`;
