// The scripts for terminals that AppleScript can drive. They are constant: what varies comes as arguments of `run`, and becomes
// a shell word only through the system's own `quoted form of`. They check `is running` wherever `tell` would start the program,
// because a program that is started opens a window by itself. They follow the published dictionaries; no Mac has run them here.

/** The arguments as one command of a shell. */
const COMMAND_LINE = `  set commandLine to "exec"
  repeat with argument in argv
    set commandLine to commandLine & " " & quoted form of (argument as text)
  end repeat`;

/**
 * Opens a window in Terminal.app that runs the arguments. If Terminal.app was not running, it uses the window that it starts
 * with.
 */
export const OPEN_APPLE_TERMINAL = `on run argv
${COMMAND_LINE}
  if application "Terminal" is running then
    tell application "Terminal"
      activate
      do script commandLine
    end tell
  else
    tell application "Terminal"
      activate
      repeat 50 times
        if (count of windows) > 0 then exit repeat
        delay 0.1
      end repeat
      if (count of windows) is 0 then
        do script commandLine
      else
        do script commandLine in window 1
      end if
    end tell
  end if
end run`;

/** Opens a window in iTerm2 that runs the command of the first argument, which is written for iTerm2 (quoteForTerminal.ts). */
export const OPEN_ITERM2 = `on run argv
  set commandLine to item 1 of argv
  if application "iTerm2" is not running then tell application "iTerm2" to launch
  tell application "iTerm2"
    create window with default profile command commandLine
    activate
  end tell
end run`;

/**
 * Opens a window in a running Ghostty and prints "opened"; with any other output nothing happened. Ghostty gives its command to
 * a shell after `exec -l`; `env` keeps our shell from becoming a login shell.
 */
export const OPEN_GHOSTTY = `on run argv
  if application "Ghostty" is not running then return "none"
${COMMAND_LINE}
  tell application "Ghostty"
    activate
    new window with configuration {command:"/usr/bin/env sh -c " & quoted form of commandLine}
  end tell
  return "opened"
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

/** For tmux -CC: iTerm2 itself shows the selected tmux window, so it only has to come to the front. */
export const ACTIVATE_ITERM2 = `on run argv
  if application "iTerm2" is not running then return "none"
  tell application "iTerm2" to activate
  return "found"
end run`;
