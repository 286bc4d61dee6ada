import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { machineOf, type Card, type Lease, type Machine } from '@groundcrew/kubevirt-simulator/guest';
import { aVmi } from '@groundcrew/kubevirt-simulator/testing';
import { DhcpGuestNetwork } from './guest-network.ts';
import { ServedNetwork } from './testing/served-network.ts';

const MAC = '02:00:00:00:00:0a';
const HALF = 1800_000;

/** A machine with a network card and a disk; one of them is first in the boot order. */
function aMachine(change: { networkFirst?: boolean; efi?: boolean } = {}): Machine {
  const { networkFirst = false, efi = false } = change;
  const vmi = aVmi('Running', { interfaces: [{ name: 'lan', mac: MAC, infoSource: 'domain' }] });
  return machineOf({
    ...vmi,
    spec: {
      ...vmi.spec,
      networks: [{ name: 'lan', multus: { networkName: 'lan' } }],
      domain: {
        ...vmi.spec.domain,
        firmware: { ...vmi.spec.domain.firmware, ...(efi ? { bootloader: { efi: {} } } : {}) },
        devices: {
          disks: [{ name: 'disk', disk: { bus: 'virtio' }, bootOrder: networkFirst ? 2 : 1 }],
          interfaces: [{ name: 'lan', bridge: {}, ...(networkFirst ? { bootOrder: 1 } : {}) }],
        },
      },
      volumes: [{ name: 'disk', dataVolume: { name: 'fedora' } }],
    },
  });
}

let clock: FakeClock;
let server: ServedNetwork;
let told: (string | undefined)[];
let network: DhcpGuestNetwork;

beforeEach(() => {
  clock = new FakeClock();
  server = new ServedNetwork(clock, MAC);
  told = [];
});

function plugIn(machine: Machine): Card {
  network = new DhcpGuestNetwork(server, {
    cards: machine.cards,
    clock,
    random: () => 0.5,
    onLease: (_, lease) => told.push(lease?.address),
  });
  return machine.cards[0] ?? expect.fail('it has no card');
}

/** Runs the firmware phase; only time passes. */
async function firmware(machine: Machine, milliseconds = 1): Promise<Lease | undefined> {
  const card = plugIn(machine);
  const tried = network.tryFirst(machine);
  await clock.advance(milliseconds);
  await tried;
  return network.firmware(card);
}

describe('firmware', () => {
  const netboot = { nextServer: 0x0a000003, bootFiles: { ipxe: 'http://10.0.0.3/boot.ipxe', 'efi-x64': 'snp.efi' } };

  it('with OVMF sends the request of OVMF and gets the first-stage boot file', async () => {
    server.settings = { netboot };
    const lease = await firmware(aMachine({ networkFirst: true, efi: true }));
    expect(lease).toMatchObject({ bootFile: 'snp.efi', nextServer: '10.0.0.3' });
  });

  it('gets an address without a boot file if the pool has no netboot', async () => {
    const lease = await firmware(aMachine({ networkFirst: true }));
    expect(lease).toMatchObject({ address: '10.0.0.7', netmask: '255.255.255.0', prefix: 24 });
    expect(lease?.bootFile).toBeUndefined();
  });

  it('sends no request on further cards after the machine restarts or is gone', async () => {
    const machine = aMachine({ networkFirst: true });
    const [first] = machine.cards;
    const second = { ...(first ?? expect.fail('it has no card')), name: 'wan', device: 'eth1' };
    const both: Machine = {
      ...machine,
      cards: [...machine.cards, second],
      bootDevices: [...machine.cards, second].map((card) => ({ kind: 'card', card })),
    };
    for (const end of ['down', 'close'] as const) {
      server.isUp = false;
      plugIn(both);
      const tried = network.tryFirst(both);
      await clock.advance(1);
      server.heard.length = 0;
      network[end]();
      await tried;
      await clock.advance(20_000);
      expect(server.heard).toEqual([]);
      expect(clock.timers).toBe(0);
    }
  });
});

describe('an operating system', () => {
  async function up(machine = aMachine()): Promise<Card> {
    const card = plugIn(machine);
    network.up(machine);
    await clock.advance(0);
    return card;
  }

  it('requests a lease and applies it', async () => {
    server.settings = { router: 0x0a000001, dns: [0x0a000035], domainName: 'lan.example', mtu: 1400 };
    const card = await up();
    expect(server.heard).toEqual(['discover to broadcast', 'request 10.0.0.7 to broadcast']);
    expect(network.system(card)).toEqual({
      address: '10.0.0.7',
      netmask: '255.255.255.0',
      prefix: 24,
      gateway: '10.0.0.1',
      dns: ['10.0.0.53'],
      search: ['lan.example'],
      mtu: 1400,
      server: '10.0.0.2',
    });
    expect(told).toEqual(['10.0.0.7']);
  });

  it('applies static routes besides the router', async () => {
    server.settings = {
      router: 0x0a000001,
      routes: [
        { destination: 0x0a010000, prefix: 16, gateway: 0x0a000009 },
        { destination: 0x0a020000, prefix: 16, gateway: 0 },
      ],
    };
    const card = await up();
    expect(network.system(card)).toMatchObject({
      gateway: '10.0.0.1',
      routes: [
        { destination: '10.1.0.0/16', gateway: '10.0.0.9' },
        { destination: '10.2.0.0/16', gateway: '0.0.0.0' },
      ],
    });
  });

  it('retransmits until a server answers', async () => {
    server.isUp = false;
    await up();
    server.isUp = true;
    await clock.advance(4_000);
    expect(told).toEqual(['10.0.0.7']);
  });

  it('renews at T1 with the same server and applies changed options', async () => {
    const card = await up();
    server.heard.length = 0;
    server.settings = { dns: [0x0a000063] };
    await clock.advance(HALF);
    expect(server.heard).toEqual(['request to 10.0.0.2']);
    expect(network.system(card)?.dns).toEqual(['10.0.0.99']);
    expect(told).toEqual(['10.0.0.7']);
  });

  it('takes another address if its previous address is refused', async () => {
    const machine = aMachine();
    await up(machine);
    network.down();
    server.address = '10.0.0.8';
    network.up(machine);
    await clock.advance(0);
    expect(told).toEqual(['10.0.0.7', '10.0.0.8']);
  });

  it('drops an address that it no longer holds', async () => {
    await up();
    server.address = undefined;
    await clock.advance(2 * HALF);
    expect(told).toEqual(['10.0.0.7', undefined]);
  });

  it('neither sends nor receives while its machine is paused', async () => {
    const card = await up();
    server.heard.length = 0;
    network.pause();
    await clock.advance(1.5 * HALF);
    expect(server.heard).toEqual([]);
    network.resume();
    await clock.advance(0);
    expect(server.heard).toHaveLength(1);
    expect(network.system(card)?.address).toBe('10.0.0.7');
  });
});
