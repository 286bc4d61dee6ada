import { NetworkNamespace } from './network-namespace.ts';

export interface AttachOptions {
  /** Name of the interface in the attached namespace. */
  device: string;
  macAddress?: string;
  /** With prefix length: `10.77.0.1/16`. */
  address?: string;
}

/** An Ethernet network: a bridge in its own namespace, to which other namespaces and machines are attached. */
export class Lan {
  /** Interface of the bridge; a capture on it sees all frames. */
  readonly device = 'lan0';
  readonly namespace = new NetworkNamespace();
  #ports = 0;

  constructor() {
    const { namespace, device } = this;
    // No forwarding delay, so that a client's first packet is not lost.
    namespace.ip(
      'link',
      'add',
      device,
      'type',
      'bridge',
      'stp_state',
      '0',
      'forward_delay',
      '0',
      'mcast_snooping',
      '0',
    );
    namespace.ip('link', 'set', device, 'up');
  }

  /** Adds an interface on this network to `namespace`. */
  attach(namespace: NetworkNamespace, { device, macAddress, address }: AttachOptions): void {
    const port = this.#nextPort();
    const peer = ['peer', 'name', device, 'netns', namespace.name];
    this.namespace.ip('link', 'add', port, 'type', 'veth', ...peer);
    if (macAddress !== undefined) namespace.ip('link', 'set', device, 'address', macAddress);
    if (address !== undefined) namespace.ip('addr', 'add', address, 'brd', '+', 'dev', device);
    this.#switchOn(port);
    namespace.ip('link', 'set', device, 'up');
  }

  /** Creates a tap interface for a virtual machine in `this.namespace`, and returns its name. */
  addTap(): string {
    const port = this.#nextPort();
    this.namespace.ip('tuntap', 'add', 'dev', port, 'mode', 'tap');
    this.#switchOn(port);
    return port;
  }

  close(): void {
    this.namespace.close();
  }

  #nextPort(): string {
    this.#ports += 1;
    return `port${this.#ports}`;
  }

  #switchOn(port: string): void {
    this.namespace.ip('link', 'set', port, 'master', this.device);
    this.namespace.ip('link', 'set', port, 'up');
  }
}
