import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

/** Forwards connections from one address to another. An address is `<host>:<port>` or the path of a Unix socket. */
export function passOn(from: string, to: string): Server {
  const server = createServer((inner) => {
    const outer = connect(endpointOf(to));
    inner.pipe(outer).pipe(inner);
    // An error is followed by 'close', which closes the other side.
    inner.on('error', () => undefined).on('close', () => outer.destroy());
    outer.on('error', () => undefined).on('close', () => inner.destroy());
  });
  return server.listen(endpointOf(from));
}

/** A Unix socket is reachable from every namespace. */
function endpointOf(text: string): NetConnectOpts {
  if (text.startsWith('/')) return { path: text };
  const [host = '', port] = text.split(':');
  return { host, port: Number(port) };
}
