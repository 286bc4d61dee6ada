import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timestamp } from '@groundcrew/controller-runtime';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { ServedNetwork } from './testing/served-network.ts';
import { GuestHost, type VirtualMachineInstance } from '@groundcrew/kubevirt-simulator/node';
import { aVmi, Reader, ToldCache } from '@groundcrew/kubevirt-simulator/testing';
import { DhcpGuestNetwork } from './guest-network.ts';

const BOOT_TIME = 1000;
const SHUTDOWN_TIME = 100;
const MAC = '02:00:00:00:00:0a';
const REF = { namespace: 'vms', name: 'm' };

let clock: FakeClock;
let cache: ToldCache;
let server: ServedNetwork;
let addresses: string[];
let host: GuestHost;
let stop: () => void;

beforeEach(() => {
  clock = new FakeClock();
  cache = new ToldCache();
  server = new ServedNetwork(clock, MAC);
  addresses = [];
  host = new GuestHost({
    instances: cache,
    clock,
    random: randomBytes,
    times: { bootTime: BOOT_TIME, shutdownTime: SHUTDOWN_TIME },
    guestNetwork: (options) => new DhcpGuestNetwork(server, options),
    onEnd: () => undefined,
    onAddress: ({ name }, nic, address) => addresses.push(`${name} ${nic} ${address ?? 'none'}`),
  });
  stop = host.start();
});
afterEach(() => {
  stop();
  expect(clock.timers).toBe(0);
});

/** An instance with a card on a network; network boot first if `networkFirst` is set. */
function start(networkFirst = false, status: Partial<VirtualMachineInstance['status']> = {}): VirtualMachineInstance {
  const interfaces = [{ name: 'lan', mac: MAC, infoSource: 'domain' }];
  const vmi = aVmi('Running', { nodeName: 'node01', interfaces, ...status });
  const devices = {
    disks: [{ name: 'disk', disk: { bus: 'virtio' }, bootOrder: networkFirst ? 2 : 1 }],
    interfaces: [{ name: 'lan', bridge: {}, ...(networkFirst ? { bootOrder: 1 } : {}) }],
  };
  const spec = {
    ...vmi.spec,
    domain: { ...vmi.spec.domain, devices },
    networks: [{ name: 'lan', multus: { networkName: 'lan' } }],
    volumes: [{ name: 'disk', dataVolume: { name: 'fedora' } }],
  };
  cache.put({ ...vmi, spec });
  return { ...vmi, spec };
}

/** Later than any boot and any retransmission. */
const LATER = 20_000;

describe('a guest on a network that boots from its disk', () => {
  it('has its address when its services are up, with or without a console', async () => {
    start();
    await clock.advance(BOOT_TIME * 0.9);
    expect(server.heard).toEqual([]);
    await clock.advance(BOOT_TIME * 0.1);
    expect(addresses).toEqual(['m lan 10.0.0.7']);
  });

  it('shows its address on the console during boot and on request', async () => {
    server.settings = { router: 0x0a000001, dns: [0x0a000035], domainName: 'lan.example' };
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME);
    expect(reader.text).toMatch(
      /Started systemd-networkd\.service[^]*\r\n\[ +0\.530000\] systemd-networkd\[\d+\]: eth0: DHCPv4 address 10\.0\.0\.7\/24, gateway 10\.0\.0\.1 acquired from 10\.0\.0\.2\r\n/,
    );
    reader.text = '';
    reader.type('root\rip addr\rip route\rdns\r');
    expect(reader.text).toContain('    inet 10.0.0.7/24 scope global dynamic eth0\r\n');
    expect(reader.text).toContain('default via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.7\r\n');
    expect(reader.text).toContain('nameserver 10.0.0.53\r\nsearch lan.example\r\n');
  });

  it('renews on request', async () => {
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME);
    server.settings = { dns: [0x0a000063] };
    reader.type('root\rrenew\r');
    await clock.advance(0);
    reader.text = '';
    reader.type('dns\r');
    expect(reader.text).toContain('nameserver 10.0.0.99\r\n');
  });

  it('requests the same address again after a reboot from inside the guest', async () => {
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME);
    server.heard.length = 0;
    reader.type('root\rreboot\r');
    reader.leave();
    await clock.advance(SHUTDOWN_TIME + BOOT_TIME);
    expect(server.heard).toEqual(['request 10.0.0.7 to broadcast']);
  });

  it('sends nothing while it is paused', async () => {
    start();
    await clock.advance(BOOT_TIME * 0.5);
    host.carryOut('pause', REF);
    await clock.advance(LATER);
    expect(server.heard).toEqual([]);
    host.carryOut('unpause', REF);
    await clock.advance(BOOT_TIME * 0.5);
    expect(addresses).toEqual(['m lan 10.0.0.7']);
  });

  it('sends nothing after its instance is gone', async () => {
    start();
    cache.delete();
    await clock.advance(LATER);
    expect(server.heard).toEqual([]);
  });

  it('requests its previous address after the sandbox is restored', async () => {
    const long = timestamp(clock.now() - 3_600_000);
    start(true, {
      interfaces: [{ name: 'lan', mac: MAC, infoSource: 'domain', ipAddress: '10.0.0.7' }],
      phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: long }],
    });
    await clock.advance(0);
    expect(server.heard).toEqual(['request 10.0.0.7 to broadcast']);
  });
});

describe('a guest that boots from the network', () => {
  it('shows its boot file and then boots from disk', async () => {
    server.settings = { netboot: { bootFiles: { ipxe: 'http://10.0.0.3/boot.ipxe' } } };
    const reader = new Reader().connect(host, start(true));
    await clock.advance(BOOT_TIME);
    expect(reader.text).toMatch(
      /Machine UUID [^]*Configuring \(net0 02:00:00:00:00:0a\)[. ]+ok\r\nnet0: 10\.0\.0\.7\/255\.255\.255\.0\r\nFilename: http:\/\/10\.0\.0\.3\/boot\.ipxe\r\n[^]*Booting from Hard Disk\.\.\.[^]*m login: $/,
    );
    expect(server.heard).toEqual([
      'discover to broadcast as PXEClient',
      'request 10.0.0.7 to broadcast as PXEClient',
      'discover to broadcast',
      'request 10.0.0.7 to broadcast',
    ]);
  });

  it('waits for an answer for a limited time and then continues', async () => {
    server.isUp = false;
    const reader = new Reader().connect(host, start(true));
    await clock.advance(9_000);
    expect(reader.text).not.toContain('Configuring');
    await clock.advance(1_000 + BOOT_TIME);
    expect(reader.text).toMatch(/No configuration methods succeeded[^]*m login: $/);
  });

  it('tries the network again after a reboot from inside the guest, without the boot file of a one-time boot that is used up', async () => {
    server.settings = { netboot: { bootFiles: { ipxe: 'http://10.0.0.3/boot.ipxe' } } };
    server.boot = { uid: 'vmi-1', isConsumed: false };
    const reader = new Reader().connect(host, start(true));
    await clock.advance(BOOT_TIME);
    reader.text = '';
    reader.type('root\rreboot\r');
    await clock.advance(SHUTDOWN_TIME + BOOT_TIME);
    expect(reader.text).toMatch(/net0: 10\.0\.0\.7\/255\.255\.255\.0\r\nNothing to boot[^]*m login: $/);
  });

  it('gets the boot file of the boot that a reset starts, and forgets the previous one', async () => {
    const reader = new Reader().connect(host, start(true));
    await clock.advance(BOOT_TIME);
    server.settings = { netboot: { bootFiles: { ipxe: 'http://10.0.0.3/boot.ipxe' } } };
    host.carryOut('reset', REF);
    await clock.advance(BOOT_TIME);
    expect(reader.text.split('Filename: ')).toHaveLength(2);
  });

  it('continues to wait after a pause', async () => {
    server.isUp = false;
    const reader = new Reader().connect(host, start(true));
    await clock.advance(1_000);
    host.carryOut('pause', REF);
    await clock.advance(LATER);
    host.carryOut('unpause', REF);
    await clock.advance(BOOT_TIME);
    expect(reader.text).toMatch(/m login: $/);
  });

  it('sends nothing after its instance is gone before an answer', async () => {
    server.isUp = false;
    start(true);
    await clock.advance(1_000);
    cache.delete();
    server.heard.length = 0;
    await clock.advance(LATER);
    expect(server.heard).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});
