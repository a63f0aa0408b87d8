// Ends with one clear sentence when Node is too old. Import it before anything that needs a new Node; it runs on old ones.
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `agtmux: Node ${NEEDED} or newer is needed, this is ${process.versions.node}. Run 'npm ci' (it brings one on Linux) or install it from https://nodejs.org.\n`,
  );
  process.exit(1);
}
