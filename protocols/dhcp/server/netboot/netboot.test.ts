import { describe, expect, it } from 'vitest';
import type { BootFiles, Lease, LeaseBoot } from '../../lease.ts';
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
  'efi-ia32': 'ia32.efi',
  'efi-x64': 'x64.efi',
  'efi-arm64': 'arm64.efi',
  'efi-riscv64': 'riscv64.efi',
  'http-ia32': 'http://boot.example.com/ia32.efi',
  'http-x64': 'http://boot.example.com/x64.efi',
  'http-arm64': 'http://boot.example.com/arm64.efi',
  'http-riscv64': 'http://boot.example.com/riscv64.efi',
  s390x: 's390x.img',
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
const S390X = { ...asking(1, 3, 6, 66, 67), [OPTION.clientArchitecture]: Uint8Array.of(0, 31) };
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
    ['UEFI x64 with architecture 7', EFI, 'x64.efi'],
    ['UEFI x64 with architecture 9', client('PXEClient', [9]), 'x64.efi'],
    ['UEFI arm64', client('PXEClient', [11]), 'arm64.efi'],
    ['UEFI over HTTP', HTTP, 'http://boot.example.com/x64.efi'],
    ['the first architecture with a file', client('PXEClient', [2, 11, 0]), 'arm64.efi'],
    ['a client with the architecture only in its vendor class', client('PXEClient:Arch:00007:UNDI:003016'), 'x64.efi'],
    ['a client without an architecture', client('PXEClient'), 'pxelinux.0'],
    ['iPXE with a user class without length', IPXE, SCRIPT],
    ['iPXE with a user class of RFC 3004', client('PXEClient', [7], { [OPTION.userClass]: text('\x04iPXE') }), SCRIPT],
    ['iPXE with option 175', client('PXEClient', [7], { [OPTION.ipxe]: Uint8Array.of(1, 1, 1) }), SCRIPT],
    [
      'iPXE of Tinkerbell, with its own user class',
      client('PXEClient', [7], { [OPTION.userClass]: text('Tinkerbell'), [OPTION.ipxe]: Uint8Array.of(1, 1, 1) }),
      SCRIPT,
    ],
    ['32-bit UEFI', client('PXEClient', [6]), 'ia32.efi'],
    ['32-bit UEFI over HTTP', client('HTTPClient', [15]), 'http://boot.example.com/ia32.efi'],
    ['UEFI RISC-V', client('PXEClient', [27]), 'riscv64.efi'],
    ['UEFI RISC-V over HTTP', client('HTTPClient', [28]), 'http://boot.example.com/riscv64.efi'],
    ['s390x', client('PXEClient', [32]), 's390x.img'],
    ["the REQUEST of QEMU's loader for s390x, which has no vendor class", S390X, 's390x.img'],
    ['an architecture without a file', client('PXEClient', [37]), undefined],
    ['UEFI arm64 over HTTP', client('HTTPClient', [19]), 'http://boot.example.com/arm64.efi'],
    ['an operating system that requests them', LINUX, undefined],
    ['a client without a vendor class', asking(66, 67), undefined],
  ])('are selected for %s', (_name, options, file) => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', options);
    expect(offer?.yiaddr).toBe(ADDRESS);
    expect(bootFileOf(offer)).toBe(file);
  });

  it("are those of the firmware for iPXE without a script: QEMU's BIOS is iPXE", () => {
    const { ipxe: _, ...firmware } = bootFiles;
    const network = new TestNetwork([lease({ settings: settings({ netboot: { bootFiles: firmware } }) })]);
    expect(bootFileOf(network.ask('discover', IPXE))).toBe('pxelinux.0');
  });

  it('are the same in ACK and OFFER', () => {
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

describe("a machine's own boot files", () => {
  const own = (files: BootFiles, fields: Partial<LeaseBoot> = {}): Partial<Lease> => ({
    settings: withNetboot,
    boot: { isConsumed: false, ...fields, files },
  });
  const ask = (options: Options, fields: Partial<Lease>) =>
    bootFileOf(new TestNetwork([lease(fields)]).ask('discover', options));

  it("replace the pool's one by one", () => {
    const mine = own({ ipxe: 'http://boot.example.com/mine.ipxe' });
    expect(ask(IPXE, mine)).toBe('http://boot.example.com/mine.ipxe');
    expect(ask(EFI_IPXE, mine)).toBe('http://boot.example.com/mine.ipxe');
    expect(ask(EFI, mine)).toBe('x64.efi');
    expect(ask(LINUX, mine)).toBeUndefined();
  });

  it('are sent without network boot of the pool', () => {
    expect(ask(HTTP, { boot: { isConsumed: false, files: { 'http-x64': URI } } })).toBe(URI);
  });

  it('that are empty mean none', () => {
    expect(ask(EFI, own({ 'efi-x64': '' }))).toBeUndefined();
  });

  it('are those of an override without a URI; a URI replaces them', () => {
    expect(ask(HTTP, own({ 'http-x64': URI }, { mode: 'UefiHttp' }))).toBe(URI);
    expect(ask(HTTP, own({ 'http-x64': 'http://x' }, { mode: 'UefiHttp', uri: URI }))).toBe(URI);
    expect(ask(BIOS, own({ bios: 'mine.0' }, { uid: 'vmi-1', mode: 'Pxe', isConsumed: true }))).toBeUndefined();
  });
});

describe('an answer with a boot file', () => {
  it('for PXE has it also in the header, and disables the boot server menu', () => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', BIOS);
    expect(offer?.siaddr).toBe(TFTP);
    expect(Buffer.from(offer?.file ?? []).toString()).toBe('pxelinux.0');
    expect(offer?.option(OPTION.vendorClass)).toBe(hex('PXEClient'));
    expect(offer?.option(OPTION.vendorSpecific)).toBe('060108ff');
    expect(offer?.option(OPTION.tftpServerName)).toBe(hex('10.77.0.69'));
    expect(offer?.sname).toHaveLength(0);
  });

  it('for HTTP has the vendor class HTTPClient and the URL only in option 67', () => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', { ...HTTP, ...asking(1, 67) });
    expect(offer?.option(OPTION.vendorClass)).toBe(hex('HTTPClient'));
    expect(offer?.option(OPTION.vendorSpecific)).toBeUndefined();
    expect(offer?.file).toHaveLength(0);
    expect(offer?.option(OPTION.tftpServerName)).toBeUndefined();
  });

  it('for iPXE disables the wait for another server, and has no option that causes a request to another port', () => {
    const offer = new TestNetwork([lease({ settings: withNetboot })]).ask('discover', IPXE);
    expect(offer?.option(OPTION.ipxe)).toBe('b00101');
    expect(offer?.option(OPTION.vendorClass)).toBeUndefined();
    expect(offer?.option(OPTION.vendorSpecific)).toBeUndefined();
    expect(offer?.siaddr).toBe(TFTP);
  });

  it('has a file name of more than 127 bytes only in option 67', () => {
    const long = `http://boot.example.com/${'a'.repeat(150)}`;
    const network = new TestNetwork([lease({ settings: settings({ netboot: { bootFiles: { ipxe: long } } }) })]);
    const offer = network.ask('discover', IPXE);
    expect(bootFileOf(offer)).toBe(long);
    expect(offer?.file).toHaveLength(0);
    expect(offer?.siaddr).toBe(0);
  });

  it('leaves no boot data in the next answer', () => {
    const network = new TestNetwork([lease({ settings: withNetboot })]);
    network.ask('discover', BIOS);
    expect(network.ask('discover', LINUX)).toMatchObject({ siaddr: 0, file: Buffer.alloc(0) });
  });

  it("overrides the pool's own boot options, which other clients still get", () => {
    const options = [{ code: OPTION.bootFileName, value: text('other') }];
    const network = new TestNetwork([lease({ settings: settings({ netboot, options }) })]);
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
    expect(bootFileOf(network.ask('discover', LINUX))).toBe('other');
  });
});

describe('a pool without network boot', () => {
  it('gives firmware an address without boot options', () => {
    const offer = new TestNetwork().ask('discover', BIOS);
    expect(offer).toMatchObject({ yiaddr: ADDRESS, siaddr: 0 });
    for (const code of [43, 60, 66, 67]) expect(offer?.option(code)).toBeUndefined();
  });
});

describe("a machine's boot override", () => {
  const ask = (boot: LeaseBoot, options: Options, fields: Partial<Lease> = { settings: withNetboot }) => {
    return bootFileOf(new TestNetwork([lease({ ...fields, boot })]).ask('discover', options));
  };

  it("without a URI gives the pool's boot file", () => {
    expect(ask(bootOf({ mode: 'Pxe' }), BIOS)).toBe('pxelinux.0');
    expect(ask(bootOf({ mode: 'UefiHttp' }), HTTP)).toBe(bootFiles['http-x64']);
  });

  it('gives its URI to HTTP boot firmware, with or without network boot of the pool', () => {
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), HTTP)).toBe(URI);
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), HTTP, {})).toBe(URI);
  });

  it.each<[string, Options, LeaseBoot]>([
    ['in mode UefiHttp', IPXE, bootOf({ mode: 'UefiHttp', uri: URI })],
    ['of UEFI', EFI_IPXE, bootOf({ uri: URI })],
  ])("gives iPXE %s the pool's script, to prevent a boot loop of iPXE", (_name, options, boot) => {
    expect(ask(boot, options)).toBe(SCRIPT);
  });

  it('gives its URI to iPXE if the pool has no script', () => {
    const { ipxe: _, ...firmware } = bootFiles;
    const noScript = { settings: settings({ netboot: { bootFiles: firmware } }) };
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), EFI_IPXE, noScript)).toBe(URI);
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), EFI_IPXE, {})).toBe(URI);
  });

  it('in mode UefiHttp gives PXE no file, so that the firmware continues with HTTP', () => {
    expect(ask(bootOf({ mode: 'UefiHttp', uri: URI }), EFI)).toBeUndefined();
  });

  it('without a mode gives its URI to every boot client', () => {
    expect(ask(bootOf({ uri: 'special.0' }), BIOS)).toBe('special.0');
    // QEMU's BIOS.
    expect(ask(bootOf({ uri: 'special.0' }), IPXE)).toBe('special.0');
  });

  it('gives an operating system no boot options', () => {
    expect(ask(bootOf({ uri: URI }), LINUX)).toBeUndefined();
  });

  it('for every boot never ends, even after requests of an operating system', () => {
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

  it('gives no file once consumed, whatever the pool has', () => {
    expect(ask(bootOf({ mode: 'Pxe', isConsumed: true }), BIOS)).toBeUndefined();
  });
});

describe('a one-time network boot', () => {
  const chosen = { [OPTION.serverIdentifier]: SERVER, [OPTION.requestedAddress]: ADDRESS };
  const overridden = lease({ settings: withNetboot, boot: bootOf({ mode: 'Pxe' }) });

  function booted(): TestNetwork {
    const network = new TestNetwork([overridden]);
    network.ask('discover', BIOS);
    network.ask('request', { ...BIOS, ...chosen });
    return network;
  }

  it('is done at the first request of an operating system after an acknowledged boot file', () => {
    const network = booted();
    expect(network.told.bootConsumed).toEqual([]);
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('continues through its stages: firmware, then iPXE', () => {
    const network = booted();
    expect(bootFileOf(network.ask('request', { ...IPXE, ...chosen }))).toBe(SCRIPT);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is reported once and gives no more boot files, even before the store shows it', () => {
    const network = booted();
    network.ask('request', { ...LINUX, ...chosen });
    network.ask('discover', LINUX);
    expect(bootFileOf(network.ask('discover', BIOS))).toBeUndefined();
    expect(network.told.bootConsumed).toHaveLength(1);
  });

  it('is not done before an acknowledged boot file: an OFFER is not enough', () => {
    const network = new TestNetwork([overridden]);
    network.ask('discover', BIOS);
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([]);
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
  });

  it('is not done if the ACK contained no boot file', () => {
    const network = new TestNetwork([lease({ boot: bootOf({ mode: 'Pxe' }) })]);
    network.ask('request', { ...BIOS, ...chosen });
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is not ended by INFORM, RELEASE or DECLINE', () => {
    const network = booted();
    network.ask('inform', LINUX, { ciaddr: ADDRESS });
    network.ask('release', chosen, { ciaddr: ADDRESS });
    network.ask('decline', chosen);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('ends after ten minutes, at any packet', () => {
    const network = booted();
    network.now += 10 * 60_000 - 1;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
    network.now += 1;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([overridden]);
    expect(bootFileOf(network.ask('discover', BIOS))).toBeUndefined();
  });

  it('ends ten minutes after a request of an operating system without a known ACK, as after a restart of the agent', () => {
    const network = new TestNetwork([overridden]);
    network.ask('request', { ...LINUX, ...chosen });
    network.now += 9 * 60_000;
    network.ask('request', LINUX, { ciaddr: ADDRESS });
    expect(network.told.bootConsumed).toEqual([]);
    network.now += 60_000;
    expect(bootFileOf(network.ask('discover', BIOS))).toBeUndefined();
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('ends ten minutes after its boot file, even if an operating system sent a request before', () => {
    const network = new TestNetwork([overridden]);
    network.ask('discover', LINUX);
    network.now += 9 * 60_000;
    network.ask('request', { ...BIOS, ...chosen });
    network.now += 9 * 60_000;
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('measures the time from the first ACK', () => {
    const network = booted();
    network.now += 9 * 60_000;
    network.ask('request', { ...IPXE, ...chosen });
    network.now += 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toHaveLength(1);
  });

  it('counts an ACK of a sibling', () => {
    const network = new TestNetwork([overridden]);
    network.ask('request', { ...BIOS, ...chosen, [OPTION.serverIdentifier]: SIBLING });
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('counts an operating system that chose a sibling', () => {
    const network = booted();
    network.ask('request', { ...LINUX, ...chosen, [OPTION.serverIdentifier]: SIBLING });
    expect(network.told.bootConsumed).toEqual([overridden]);
  });

  it('does not count an ACK of an unknown server', () => {
    const network = new TestNetwork([overridden]);
    network.ask('request', { ...BIOS, ...chosen, [OPTION.serverIdentifier]: ip('10.77.0.99') });
    network.ask('discover', LINUX);
    expect(network.told.bootConsumed).toEqual([]);
  });

  it("of a new machine instance starts again, and without an override follows the pool's network boot", () => {
    const network = booted();
    network.ask('discover', LINUX);
    network.has({ ...overridden, boot: bootOf({ uid: 'vmi-2' }) });
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
    network.has(lease({ settings: withNetboot }));
    expect(bootFileOf(network.ask('discover', BIOS))).toBe('pxelinux.0');
  });

  it('is forgotten when the override is removed', () => {
    const network = booted();
    network.has(lease({ settings: withNetboot }));
    network.ask('discover', LINUX);
    network.now += 20 * 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is not reported if another process has reported it', () => {
    const network = booted();
    network.has({ ...overridden, boot: bootOf({ mode: 'Pxe', isConsumed: true }) });
    network.now += 20 * 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
  });

  it('is not reported for a deleted lease', () => {
    const network = booted();
    network.leases.clear();
    network.now += 20 * 60_000;
    network.send(Buffer.alloc(0));
    expect(network.told.bootConsumed).toEqual([]);
  });
});
