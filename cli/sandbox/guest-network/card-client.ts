import { formatIpv4, parseIpv4 } from '../../../api/index.ts';
import type { Clock, Timer } from '@groundcrew/controller-runtime';
import {
  DhcpClient,
  bootIdentity,
  type ClientIdentity,
  type DhcpMessage,
  type Step,
} from '../../../protocols/dhcp/index.ts';
import type { SwitchPort, VirtualSwitch, Machine, Card } from '@groundcrew/kubevirt-simulator/guest';

interface CardClientOptions {
  virtualSwitch: VirtualSwitch;
  /** `namespace/name` */
  network: string;
  /** In canonical form. */
  mac: string;
  clock: Clock;
  /** From [0, 1). */
  random: () => number;
}

type Identity = Omit<ClientIdentity, 'macAddress'>;

const BROADCAST = '255.255.255.255';
/** Maximum timer delay in ms; Node's own limit is 2^31. */
const LONGEST_WAIT = 86_400_000;

/** The DHCP client on one card, used first by the firmware and then by the operating system. */
export class CardClient {
  readonly #options: CardClientOptions;
  readonly #port: SwitchPort;
  #client: DhcpClient | undefined;
  #onStep: () => void = () => undefined;
  #timer: Timer | undefined;
  #isPaused = false;

  constructor(options: CardClientOptions) {
    this.#options = options;
    const { virtualSwitch, network, clock } = options;
    this.#port = virtualSwitch.plug(network, (datagram) => {
      if (this.#isPaused || this.#client === undefined) return;
      this.#follow(this.#client.receive(datagram, clock.now()));
    });
  }

  /** The ACK of the current lease. */
  get acknowledged(): DhcpMessage | undefined {
    return this.#client?.lease?.message;
  }

  /** Requests an offer for at most `patience` milliseconds and does not keep the lease. */
  async ask(identity: Identity, patience: number): Promise<DhcpMessage | undefined> {
    this.stop();
    return await new Promise((resolve) => {
      const end = (answer: DhcpMessage | undefined): void => {
        giveUp.cancel();
        this.#onStep = () => undefined;
        this.#forget();
        resolve(answer);
      };
      const giveUp = this.#options.clock.setTimeout(() => {
        end(undefined);
      }, patience);
      this.#onStep = () => {
        if (this.#client === undefined || this.acknowledged !== undefined) end(this.acknowledged);
      };
      this.#start(identity, undefined);
    });
  }

  /**
   * Requests an address and keeps the lease.
   *
   * @param former the previous address, which the client requests first
   * @param onChange called whenever the lease may have changed
   */
  keep(identity: Identity, former: string | undefined, onChange: () => void): void {
    this.stop();
    this.#onStep = () => {
      if (this.#client !== undefined) onChange();
    };
    this.#start(identity, former === undefined ? undefined : parseIpv4(former));
  }

  /** Renews the lease early. */
  renew(): void {
    if (this.#client !== undefined) this.#follow(this.#client.renew(this.#options.clock.now()));
  }

  /** Stops sending and receiving until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#timer?.cancel();
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  /** The machine is switched off or restarts. */
  stop(): void {
    this.#forget();
    this.#onStep();
    this.#onStep = () => undefined;
  }

  close(): void {
    this.stop();
    this.#port.unplug();
  }

  #start(identity: Identity, address: number | undefined): void {
    const { mac, random, clock } = this.#options;
    const macAddress = Number.parseInt(mac.replaceAll(':', ''), 16);
    this.#client = new DhcpClient({ identity: { ...identity, macAddress }, random });
    this.#follow(this.#client.start(clock.now(), address === undefined ? {} : { address }));
  }

  #follow({ send }: Step): void {
    if (send !== undefined) this.#port.send(send.datagram, send.to === 'broadcast' ? BROADCAST : formatIpv4(send.to));
    this.#schedule();
    this.#onStep();
  }

  #schedule(): void {
    this.#timer?.cancel();
    const { clock } = this.#options;
    const client = this.#client;
    if (client?.due === undefined || this.#isPaused) return;
    const wait = Math.max(0, Math.min(client.due - clock.now(), LONGEST_WAIT));
    this.#timer = clock.setTimeout(() => {
      this.#follow(client.tick(clock.now()));
    }, wait);
  }

  #forget(): void {
    this.#timer?.cancel();
    this.#client = undefined;
  }
}

/** The DHCP identity of a machine's firmware; with SeaBIOS the client is QEMU's iPXE ROM. */
export function firmwareIdentity({ firmware: { kind, uuid } }: Machine): Identity {
  const machineIdentifier = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  const of = machineIdentifier.length === 16 ? { machineIdentifier } : {};
  return kind === 'bios' ? bootIdentity('bios', { ...of, isIpxe: true }) : bootIdentity('efi-x64', of);
}

/** The DHCP identity of the installed operating system. */
export function systemIdentity({ hostname }: Machine): Identity {
  return { hostname };
}

/** The cards that firmware tries for network boot before the first drive with an operating system. */
export function triedFirst({ bootDevices }: Machine): Card[] {
  const system = bootDevices.findIndex((device) => device.kind === 'drive' && device.drive.bootable);
  const before = system === -1 ? bootDevices : bootDevices.slice(0, system);
  return before.flatMap((device) => (device.kind === 'card' && device.card.network !== undefined ? [device.card] : []));
}
