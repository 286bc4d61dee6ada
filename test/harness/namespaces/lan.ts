import { NetworkNamespace } from './network-namespace.ts';

export interface AttachOptions {
  /** Name of the interface in the namespace that is attached. */
  device: string;
  macAddress?: string;
  /** With its prefix: `10.77.0.1/16`. */
  address?: string;
}

/** An Ethernet network: a switch in a namespace of its own, to which other namespaces and machines are attached. */
export class Lan {
  /** Interface of the switch itself: what is captured there is all that crosses it. */
  readonly device = 'lan0';
  readonly namespace = new NetworkNamespace();
  #ports = 0;

  constructor() {
    const { namespace, device } = this;
    // Forwards at once: a client's first packet is not lost while ports learn.
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

  /** Gives `namespace` an interface on this network. */
  attach(namespace: NetworkNamespace, { device, macAddress, address }: AttachOptions): void {
    const port = this.#nextPort();
    const peer = ['peer', 'name', device, 'netns', namespace.name];
    this.namespace.ip('link', 'add', port, 'type', 'veth', ...peer);
    if (macAddress !== undefined) namespace.ip('link', 'set', device, 'address', macAddress);
    if (address !== undefined) namespace.ip('addr', 'add', address, 'brd', '+', 'dev', device);
    this.#switchOn(port);
    namespace.ip('link', 'set', device, 'up');
  }

  /** Makes an interface for a virtual machine that runs in `this.namespace`, and returns its name. */
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
