/** A program that runs the server of the npm package `dhcp` with a static address for each machine. */
import dhcp, { type Server } from 'dhcp';
import protocol from 'dhcp/lib/protocol.js';
import { addressText, macText, MACHINES, SITE } from '../addresses.ts';

const SERVER_PORT = 67;

const server = dhcp.createServer({
  range: [addressText(0), addressText(MACHINES - 1)],
  // The format with colons, as in its README, never matches.
  static: Object.fromEntries(
    Array.from({ length: MACHINES }, (_, index) => [
      macText(index).toUpperCase().replaceAll(':', '-'),
      addressText(index),
    ]),
  ),
  randomIP: false,
  netmask: '255.255.0.0',
  router: [SITE.router],
  dns: [SITE.dns],
  domainName: SITE.domain,
  mtuInterface: SITE.mtu,
  broadcast: '10.77.255.255',
  server: SITE.server,
  leaseTime: SITE.leaseTime,
});
// Without a listener, a request for an unknown option ends the process.
server.on('error', () => undefined);
patchForRelays(server);
server.listen(SERVER_PORT, '0.0.0.0');

/** The published version ignores `giaddr` and always broadcasts to port 68. */
function patchForRelays(patched: Server): void {
  patched._send = (_, answer) => {
    const { _data: bytes, _w: length } = protocol.format(answer);
    patched._sock.send(bytes, 0, length, SERVER_PORT, SITE.relay, () => undefined);
  };
}
