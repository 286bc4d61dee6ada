import { NetworkNamespace } from '../../harness/namespaces/index.ts';
import { SITE } from './addresses.ts';

/** Two machines and the cable between them: one for the server, one for the clients' relay agent. */
export class BenchNetwork {
  readonly server = new NetworkNamespace();
  readonly clients = new NetworkNamespace();
  /** Of the server's end. */
  readonly device = 'dhcp0';

  constructor() {
    const { server, clients, device } = this;
    server.ip('link', 'add', device, 'type', 'veth', 'peer', 'name', device, 'netns', clients.name);
    server.ip('addr', 'add', `${SITE.server}/${SITE.prefix}`, 'brd', '+', 'dev', device);
    clients.ip('addr', 'add', `${SITE.relay}/${SITE.prefix}`, 'brd', '+', 'dev', device);
    server.ip('link', 'set', device, 'up');
    clients.ip('link', 'set', device, 'up');
  }

  close(): void {
    this.server.close();
    this.clients.close();
  }
}
