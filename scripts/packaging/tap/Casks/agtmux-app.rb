# Homebrew's description of the macOS app. scripts/makeTap.mjs fills what is between at signs when a release is made.
cask "agtmux-app" do
  arch arm: "arm64", intel: "x64"

  version "@VERSION@"
  sha256 arm:   "@SHA256 mac-arm64.dmg@",
         intel: "@SHA256 mac-x64.dmg@"

  url "https://github.com/@REPOSITORY@/releases/download/v#{version}/agtmux-#{version}-mac-#{arch}.dmg"
  name "agtmux"
  desc "Menu bar status of coding agents in tmux panes, with answers to their requests"
  homepage "https://github.com/@REPOSITORY@"

  livecheck do
    url :url
    strategy :github_latest
  end

  depends_on formula: "tmux"
  depends_on macos: :ventura

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
    "~/Library/Caches/agtmux-updater",
    "~/Library/Caches/dev.agtmux.app.ShipIt",
    "~/Library/Preferences/dev.agtmux.app.plist",
    "~/Library/Saved Application State/dev.agtmux.app.savedState",
  ]

  caveats <<~EOS
    The app brings the command agtmux. If the formula agtmux is installed as well, its command stays in use.

    Before the app is uninstalled, this takes the hooks out of the settings of the agents again:
      agtmux setup --remove
  EOS
end
