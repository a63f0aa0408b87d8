# Homebrew's description of the macOS app. scripts/makeCask.mjs fills what is between at signs when a release is made.
cask "agtmux" do
  arch arm: "arm64", intel: "x64"

  version "@VERSION@"
  sha256 arm:   "@SHA256_ARM64@",
         intel: "@SHA256_X64@"

  url "https://github.com/@REPOSITORY@/releases/download/v#{version}/agtmux-#{version}-mac-#{arch}.dmg"
  name "agtmux"
  desc "Shows which coding agent in which tmux pane needs you"
  homepage "https://github.com/@REPOSITORY@"

  depends_on formula: "tmux"
  depends_on macos: ">= :ventura"

  app "agtmux.app"
  binary "#{appdir}/agtmux.app/Contents/Resources/cli/bin/agtmux"
  manpage "#{appdir}/agtmux.app/Contents/Resources/cli/share/man/man1/agtmux.1"
  bash_completion "#{appdir}/agtmux.app/Contents/Resources/cli/share/bash-completion/completions/agtmux"
  fish_completion "#{appdir}/agtmux.app/Contents/Resources/cli/share/fish/vendor_completions.d/agtmux.fish"
  zsh_completion "#{appdir}/agtmux.app/Contents/Resources/cli/share/zsh/site-functions/_agtmux"

  uninstall quit:   "dev.agtmux.app",
            script: {
              executable:   "#{appdir}/agtmux.app/Contents/Resources/cli/bin/agtmux",
              args:         ["daemon", "stop"],
              must_succeed: false,
            }

  zap trash: [
    "~/.agtmux",
    "~/Library/Application Support/agtmux",
    "~/Library/Preferences/dev.agtmux.app.plist",
    "~/Library/Saved Application State/dev.agtmux.app.savedState",
  ]

  caveats <<~EOS
    The hooks in your agents' settings stay until you take them out:
      agtmux integrate <agent> --uninstall
  EOS
end
