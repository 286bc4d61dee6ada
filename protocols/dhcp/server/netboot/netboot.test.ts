import { describe, expect, it } from 'vitest';
import type { Lease, LeaseBoot } from '../../lease.ts';
import { OPTION } from '../../options/option-code.ts';
import {
  ADDRESS,
  type Answered,
  asking,
  hex,
  ip,
  lease,
  type Options,
  SERVER,
  settings,
  SIBLING,
  TestNetwork,
  text,
} from '../../testing/test-network.ts';

const TFTP = ip('10.77.0.69');
const SCRIPT = 'http://boot.example.com/menu.ipxe';
const bootFiles = {
  bios: 'pxelinux.0',
  'efi-x64': 'x64.efi',
  'efi-arm64': 'arm64.efi',
  'http-x64': 'http://boot.example.com/x64.efi',
  'http-arm64': 'http://boot.example.com/arm64.efi',
  ipxe: SCRIPT,
};
const netboot = { nextServer: TFTP, bootFiles };
const withNetboot = settings({ netboot });

const URI = 'http://install.example.com/once.efi';

function client(vendorClass: string, architectures: readonly number[] = [], more: Options = {}): Options {
  const list = architectures.flatMap((architecture) => [0, architecture]);
  return {
    ...asking(1, 3, 60, 66, 67),
    [OPTION.vendorClass]: text(vendorClass),
    ...(list.length > 0 && { [OPTION.clientArchitecture]: Uint8Array.from(list) }),
    ...more,
  };
}

const BIOS = client('PXEClient:Arch:00000:UNDI:002001', [0]);
const EFI = client('PXEClient:Arch:00007:UNDI:003016', [7]);
const HTTP = client('HTTPClient:Arch:00016:UNDI:003001', [16]);
const IPXE = client('PXEClient:Arch:00000:UNDI:002001', [0], { [OPTION.userClass]: text('iPXE') });
const EFI_IPXE = client('PXEClient:Arch:00007:UNDI:003010', [7], { [OPTION.userClass]: text('iPXE') });
const LINUX = { ...asking(1, 3, 6, 12, 66, 67), [OPTION.vendorClass]: text('udhcp 1.36') };

function bootFileOf(answer: Answered | undefined): string | undefined {
  const value = answer?.option(OPTION.bootFileName);
  return value === undefined ? undefined : Buffer.from(value, 'hex').toString();
}

function bootOf(fields: Partial<LeaseBoot> = {}): LeaseBoot {
  return { uid: 'vmi-1', isConsumed: false, ...fields };
}

describe("a pool's boot files", () => {
  it.each<[string, Options, string | undefined]>([
    ['BIOS', BIOS, 'pxelinux.0'],
    ['UEFI x64, as it calls itself', EFI, 'x64.efi'],
    ['UEFI x64, as the registry does', client('PXEClient', [9]), 'x64.efi'],
    ['UEFI arm64', client('PXEClient', [11]), 'arm64.efi'],
    ['UEFI over HTTP', HTTP, 'http://boot.example.com/x64.efi'],
    ['the first of several that has one', client('PXEClient', [6, 11, 0]), 'arm64.efi'],
    ['one that says its architecture with its class alone', client('PXEClient:Arch:00007:UNDI:003016'), 'x64.efi'],
    ['one that does not say its architecture', client('PXEClient'), 'pxelinux.0'],
    ['iPXE, bare', IPXE, SCRIPT],
    ['iPXE as in RFC 3004', client('PXEClient', [7], { [OPTION.userClass]: text('\x04iPXE') }), SCRIPT],
    ['iPXE, by its own option', client('PXEClient', [7], { [OPTION.ipxe]: Uint8Array.of(1, 1, 1) }), SCRIPT],
    ['32-bit UEFI', client('PXEClient', [6]), undefined],
    ['UEFI arm64 over HTTP', client('HTTPClient', [19]), 'http://boot.example.com/arm64.efi'],
    ['an operating system, though it asks', LINUX, undefined],
    ['one of no class', asking(66, 67), undefined],
  ])('for %s', (_name, options, file) => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', options);
    expect(offer?.yiaddr).toBe(ADDRESS);
    expect(bootFileOf(offer)).toBe(file);
  });

  it('for iPXE are those of its firmware where there is no script: a BIOS of QEMU is iPXE', () => {
    const { ipxe: _, ...firmware } = bootFiles;
    const network = new TestNetwork([lease({ settings: settings({ netboot: { bootFiles: firmware } }) })]);
    expect(bootFileOf(network.ask('discover', IPXE))).toBe('pxelinux.0');
  });

  it('are in the ACK as in the OFFER', () => {
    const network = new TestNetwork([lease({ settings: withNetboot })]);
    const ack = network.ask('request', {
      ...BIOS,
      [OPTION.serverIdentifier]: SERVER,
      [OPTION.requestedAddress]: ADDRESS,
    });
    expect(bootFileOf(ack)).toBe('pxelinux.0');
    expect(ack?.siaddr).toBe(TFTP);
  });

  it('are not in the answer to INFORM', () => {
    const network = new TestNetwork([lease({ settings: withNetboot })]);
    expect(bootFileOf(network.ask('inform', BIOS, { ciaddr: ADDRESS }))).toBeUndefined();
  });
});

describe('an answer with a boot file', () => {
  it('for PXE has it in the header as well, and says that there is no menu of servers', () => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', BIOS);
    expect(offer?.siaddr).toBe(TFTP);
    expect(Buffer.from(offer?.file ?? []).toString()).toBe('pxelinux.0');
    expect(offer?.option(OPTION.vendorClass)).toBe(hex('PXEClient'));
    expect(offer?.option(OPTION.vendorSpecific)).toBe('060108ff');
    expect(offer?.option(OPTION.tftpServerName)).toBe(hex('10.77.0.69'));
    expect(offer?.sname).toHaveLength(0);
  });

  it('for HTTP calls itself HTTPClient, and has the URL in option 67 alone', () => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', { ...HTTP, ...asking(1, 67) });
    expect(offer?.option(OPTION.vendorClass)).toBe(hex('HTTPClient'));
    expect(offer?.option(OPTION.vendorSpecific)).toBeUndefined();
    expect(offer?.file).toHaveLength(0);
    expect(offer?.option(OPTION.tftpServerName)).toBeUndefined();
  });

  it('for iPXE tells it not to wait for another server, and has nothing that would make it ask at another port', () => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', IPXE);
    expect(offer?.option(OPTION.ipxe)).toBe('b00101');
    expect(offer?.option(OPTION.vendorClass)).toBeUndefined();
    expect(offer?.option(OPTION.vendorSpecific)).toBeUndefined();
    expect(offer?.siaddr).toBe(TFTP);
  });

  it('of more than 127 bytes has it in option 67 alone', () => {
    const long = `http://boot.example.com/${'a'.repeat(150)}`;
    const network = new TestNetwork([lease({ settings: settings({ netboot: { bootFiles: { ipxe: long } } }) })]);
    const offer = network.ask('discover', IPXE);
    expect(bootFileOf(offer)).toBe(long);
    expect(offer?.file).toHaveLength(0);
    expect(offer?.siaddr).toBe(0);
  });

  it('leaves nothing of it in the next one', () => {
    const network = new TestNetwork([lease({ settings: withNetboot })]);
    network.ask('discover', BIOS);
    expect(network.ask('discover', LINUX)).toMatchObject({ siaddr: 0, file: Buffer.alloc(0) });
  });

  it("goes before the pool's own options for booting, which others still get", () => {
    const options = [{ code: OPTION.bootFileName, value: text('other') }];
    const network = new TestNetwork([lease({ settings: settings({ netboot, options }) })]);
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
    expect(bootFileOf(network.ask('discover', LINUX))).toBe('other');
  });
});

describe('a pool without network boot', () => {
  it('gives firmware an address, and nothing that says to boot', () => {
    const offer = new TestNetwork().ask('discover', BIOS);
    expect(offer).toMatchObject({ yiaddr: ADDRESS, siaddr: 0 });
    for (const code of [43, 60, 66, 67]) expect(offer?.option(code)).toBeUndefined();
  });
});

describe("a machine's boot override", () => {
  const ask = (boot: LeaseBoot, options: Options, fields: Partial<Lease> = { settings: withNetboot }) => {
    return bootFileOf(new TestNetwork([lease({ ...fields, boot })]).ask('discover', options));
  };

  it("gives the pool's boot file where it has none of its own", () => {
    expect(ask(bootOf({ mode: 'Pxe' }), BIOS)).toBe('pxelinux.0');
    expect(ask(bootOf({ mode: 'UefiHttp' }), HTTP)).toBe(bootFiles['http-x64']);
  });

  it('gives its own to a machine whose firmware boots over HTTP, whether the pool has network boot or not', () => {
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), HTTP)).toBe(URI);
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), HTTP, {})).toBe(URI);
  });

  it.each<[string, Options, LeaseBoot]>([
    ['in mode UefiHttp', IPXE, bootOf({ mode: 'UefiHttp', uri: URI })],
    ['of UEFI', EFI_IPXE, bootOf({ uri: URI })],
  ])("gives iPXE %s the pool's script, lest iPXE that it names loads itself for ever", (_name, options, boot) => {
    expect(ask(boot, options)).toBe(SCRIPT);
  });

  it('gives its own to iPXE where the pool has no script', () => {
    const { ipxe: _, ...firmware } = bootFiles;
    const noScript = { settings: settings({ netboot: { bootFiles: firmware } }) };
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), EFI_IPXE, noScript)).toBe(URI);
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), EFI_IPXE, {})).toBe(URI);
  });

  it('to boot over HTTP gives PXE nothing, so that firmware goes on to HTTP', () => {
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), EFI)).toBeUndefined();
  });

  it('of no mode gives its own file to whoever asks', () => {
    expect(ask(bootOf({ uri: 'special.0' }), BIOS)).toBe('special.0');
    // QEMU's BIOS.
    expect(ask(bootOf({ uri: 'special.0' }), IPXE)).toBe('special.0');
  });

  it('gives an operating system nothing', () => {
    expect(ask(bootOf({ uri: URI }), LINUX)).toBeUndefined();
  });

  it('for every boot is never over, however often an operating system asks', () => {
    const network = new TestNetwork([
      lease({ settings: withNetboot, boot: { mode: 'UefiHttp', uri: URI, isConsumed: false } }),
    ]);
    const chosen = { [OPTION.serverIdentifier]: SERVER, [OPTION.requestedAddress]: ADDRESS };
    for (let boots = 0; boots < 3; boots += 1) {
      expect(bootFileOf(network.ask('discover', HTTP))).toBe(URI);
      expect(bootFileOf(network.ask('request', { ...HTTP, ...chosen }))).toBe(URI);
      network.ask('discover', LINUX);
      network.ask('request', { ...LINUX, ...chosen });
    }
    expect(network.told.bootConsumed).toEqual([]);
    expect(bootFileOf(network.ask('discover', EFI))).toBeUndefined();
  });

  it('that is consumed gives nothing, whatever the pool has', () => {
    expect(ask(bootOf({ mode: 'Pxe', isConsumed: true }), BIOS)).toBeUndefined();
  });
});

describe('the one network boot of a machine', () => {
  const chosen = { [OPTION.serverIdentifier]: SERVER, [OPTION.requestedAddress]: ADDRESS };
  const overridden = lease({ settings: withNetboot, boot: bootOf({ mode: 'Pxe' }) });

  function booted(): TestNetwork {
    const network = new TestNetwork([overridden]);
    network.ask('discover', BIOS);
    network.ask('request', { ...BIOS, ...chosen });
    return network;
  }

  it('has been at its first request as an operating system after its boot file was acknowledged', () => {
    const network = booted();
    expect(network.told.bootConsumed).toEqual([]);
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('goes on while its stages ask: firmware, then iPXE', () => {
    const network = booted();
    expect(bootFileOf(network.ask('request', { ...IPXE, ...chosen }))).toBe(SCRIPT);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is told once, and gives no boot file any more, though the store does not show it yet', () => {
    const network = booted();
    network.ask('request', { ...LINUX, ...chosen });
    network.ask('discover', LINUX);
    expect(bootFileOf(network.ask('discover', BIOS))).toBeUndefined();
    expect(network.told.bootConsumed).toHaveLength(1);
  });

  it('is not over before a boot file was acknowledged: an OFFER is not enough', () => {
    const network = new TestNetwork([overridden]);
    network.ask('discover', BIOS);
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([]);
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
  });

  it('is not over where what was acknowledged had no boot file', () => {
    const network = new TestNetwork([lease({ boot: bootOf({ mode: 'Pxe' }) })]);
    network.ask('request', { ...BIOS, ...chosen });
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is not over by INFORM, RELEASE or DECLINE', () => {
    const network = booted();
    network.ask('inform', LINUX, { ciaddr: ADDRESS });
    network.ask('release', chosen, { ciaddr: ADDRESS });
    network.ask('decline', chosen);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('lasts ten minutes at most, which any packet shows', () => {
    const network = booted();
    network.now += 10 * 60_000 - 1;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
    network.now += 1;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([overridden]);
    expect(bootFileOf(network.ask('discover', BIOS))).toBeUndefined();
  });

  it('ends ten minutes after an operating system asked where no acknowledgement is known: an agent has ended since', () => {
    const network = new TestNetwork([overridden]);
    network.ask('request', { ...LINUX, ...chosen });
    network.now += 9 * 60_000;
    network.ask('request', LINUX, { ciaddr: ADDRESS });
    expect(network.told.bootConsumed).toEqual([]);
    network.now += 60_000;
    expect(bootFileOf(network.ask('discover', BIOS))).toBeUndefined();
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('lasts ten minutes from its boot file, also where an operating system asked before', () => {
    const network = new TestNetwork([overridden]);
    network.ask('discover', LINUX);
    network.now += 9 * 60_000;
    network.ask('request', { ...BIOS, ...chosen });
    network.now += 9 * 60_000;
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('counts from the first acknowledgement, not from each', () => {
    const network = booted();
    network.now += 9 * 60_000;
    network.ask('request', { ...IPXE, ...chosen });
    network.now += 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toHaveLength(1);
  });

  it('counts what a sibling acknowledged', () => {
    const network = new TestNetwork([overridden]);
    network.ask('request', { ...BIOS, ...chosen, [OPTION.serverIdentifier]: SIBLING });
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('counts the operating system that chose a sibling', () => {
    const network = booted();
    network.ask('request', { ...LINUX, ...chosen, [OPTION.serverIdentifier]: SIBLING });
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('does not count what a stranger acknowledged', () => {
    const network = new TestNetwork([overridden]);
    network.ask('request', { ...BIOS, ...chosen, [OPTION.serverIdentifier]: ip('10.77.0.99') });
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it("of another life of it is another one, and without an override it follows the pool's network boot", () => {
    const network = booted();
    network.ask('discover', LINUX);
    network.has({ ...overridden, boot: bootOf({ uid: 'vmi-2' }) });
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
    network.has(lease({ settings: withNetboot }));
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
  });

  it('is forgotten where the override is taken back', () => {
    const network = booted();
    network.has(lease({ settings: withNetboot }));
    network.ask('discover', LINUX);
    network.now += 20 * 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is not told where somebody else has told it', () => {
    const network = booted();
    network.has({ ...overridden, boot: bootOf({ mode: 'Pxe', isConsumed: true }) });
    network.now += 20 * 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is not told of a lease that is gone', () => {
    const network = booted();
    network.leases.clear();
    network.now += 20 * 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
  });
});
