# Nix's description of the archives. scripts/makeTap.mjs fills what is between at signs when a release is made.
{
  description = "Status of coding agents in tmux panes, with answers to their requests";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      version = "@VERSION@";
      archives = {
        aarch64-darwin = {
          name = "macos-arm64";
          sha256 = "@SHA256 macos-arm64.tar.gz@";
        };
        x86_64-darwin = {
          name = "macos-x64";
          sha256 = "@SHA256 macos-x64.tar.gz@";
        };
        aarch64-linux = {
          name = "linux-arm64";
          sha256 = "@SHA256 linux-arm64.tar.gz@";
        };
        x86_64-linux = {
          name = "linux-x64";
          sha256 = "@SHA256 linux-x64.tar.gz@";
        };
      };
      packageFor =
        system: archive:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "agtmux";
          inherit version;
          src = pkgs.fetchurl {
            url = "https://github.com/@REPOSITORY@/releases/download/v${version}/agtmux-${version}-${archive.name}.tar.gz";
            inherit (archive) sha256;
          };
          # Its Node looks for the libraries of an ordinary Linux.
          nativeBuildInputs = [
            pkgs.makeWrapper
          ]
          ++ pkgs.lib.optionals pkgs.stdenv.hostPlatform.isLinux [ pkgs.autoPatchelfHook ];
          buildInputs = pkgs.lib.optionals pkgs.stdenv.hostPlatform.isLinux [ pkgs.stdenv.cc.cc.lib ];
          # SQLite's binary for musl is not loaded here.
          autoPatchelfIgnoreMissingDeps = [ "libc.musl-*" ];
          dontConfigure = true;
          dontBuild = true;
          dontStrip = true;
          installPhase = ''
            runHook preInstall
            mkdir -p $out/lib/agtmux $out/bin
            cp -R . $out/lib/agtmux
            makeWrapper $out/lib/agtmux/bin/agtmux $out/bin/agtmux --suffix PATH : ${pkgs.lib.makeBinPath [ pkgs.tmux ]}
            ln -s $out/lib/agtmux/share $out/share
            runHook postInstall
          '';
          meta = {
            description = "Status of coding agents in tmux panes, with answers to their requests";
            homepage = "https://github.com/@REPOSITORY@";
            license = pkgs.lib.licenses.mit;
            mainProgram = "agtmux";
            platforms = [ system ];
          };
        };
    in
    {
      packages = nixpkgs.lib.mapAttrs (system: archive: {
        default = packageFor system archive;
      }) archives;
    };
}
