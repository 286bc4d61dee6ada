import { describe, expect, it } from 'vitest';
import { decodeMessage, type DhcpMessage, optionOf } from '../codec/message.ts';
import { formatOption } from '../options/catalogue.ts';
import { encodeHardwareIdentifier } from '../options/identifiers.ts';
import { OPTION } from '../options/option-code.ts';
import type { Firmware } from '../lease.ts';
import { bootIdentity, type ClientIdentity, USUAL_PARAMETERS } from './client-identity.ts';
import { type ClientMessage, encodeClientMessage } from './client-message.ts';

const MAC = 0x525400123456;
const UUID = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

function said(identity: Partial<ClientIdentity> = {}, message: Partial<ClientMessage> = {}): DhcpMessage {
  const whole = { type: 'discover', xid: 1, secs: 0, ...message } as const;
  return decodeMessage(encodeClientMessage({ macAddress: MAC, ...identity }, whole));
}

function printed(message: DhcpMessage, code: number): string | undefined {
  const value = optionOf(message, code);
  return value === undefined ? undefined : formatOption(code, value);
}

describe('a client message', () => {
  it('requests the usual parameters by default', () => {
    expect(optionOf(said(), OPTION.parameterRequestList)).toEqual(Buffer.from(USUAL_PARAMETERS));
    const asked = optionOf(said({ parameterRequestList: [1, 3] }), OPTION.parameterRequestList);
    expect(asked).toEqual(Buffer.of(1, 3));
  });

  it('contains the identity of the client', () => {
    const message = said({
      hostname: 'vm-1',
      clientIdentifier: encodeHardwareIdentifier(MAC),
      machineIdentifier: UUID,
      options: [{ code: 224, value: Uint8Array.of(1) }],
    });
    expect(printed(message, OPTION.hostName)).toBe('vm-1');
    expect(printed(message, OPTION.clientIdentifier)).toBe('52:54:00:12:34:56');
    expect(printed(message, OPTION.machineIdentifier)).toBe('00112233-4455-6677-8899-aabbccddeeff');
    expect(optionOf(message, 224)).toEqual(Buffer.of(1));
    expect(message.macAddress).toBe(MAC);
  });

  it('requests a broadcast by the flag', () => {
    expect([said().flags, said({ wantsBroadcast: true }).flags]).toEqual([0, 0x8000]);
  });

  it('is relayed by the client itself, with option 82 last', () => {
    const message = said({ relayAddress: 0x0a000001 });
    expect(message).toMatchObject({ giaddr: 0x0a000001, hops: 1 });
    expect(message.options.at(-1)).toEqual({ code: OPTION.relayAgent, value: Buffer.of(19, 0) });
    expect(said()).toMatchObject({ giaddr: 0, hops: 0 });
  });

  it('requests rapid commit only in a DISCOVER', () => {
    const rapid = { rapidCommit: true };
    expect(optionOf(said(rapid), OPTION.rapidCommit)).toHaveLength(0);
    expect(optionOf(said(rapid, { type: 'request' }), OPTION.rapidCommit)).toBeUndefined();
  });

  it.each(['decline', 'release'] as const)('requests no options in a %s', (type) => {
    const codes = said({ hostname: 'vm-1', clientIdentifier: UUID }, { type }).options.map(({ code }) => code);
    expect(codes).toEqual([OPTION.messageType, OPTION.clientIdentifier]);
  });

  it('limits the seconds to the size of the field', () => {
    expect(said({}, { secs: 100_000 }).secs).toBe(0xffff);
  });
});

describe('network boot firmware', () => {
  const CASES: [Firmware, string, string][] = [
    ['bios', 'PXEClient:Arch:00000:UNDI:002001', 'x86 BIOS'],
    ['efi-x64', 'PXEClient:Arch:00007:UNDI:003001', 'x64 UEFI'],
    ['efi-arm64', 'PXEClient:Arch:00011:UNDI:003001', 'ARM 64-bit UEFI'],
    ['http-x64', 'HTTPClient:Arch:00016:UNDI:003001', 'x64 UEFI boot from HTTP'],
    ['http-arm64', 'HTTPClient:Arch:00019:UNDI:003001', 'ARM 64-bit UEFI boot from HTTP'],
    ['efi-ia32', 'PXEClient:Arch:00006:UNDI:003001', 'x86 UEFI'],
    ['http-ia32', 'HTTPClient:Arch:00015:UNDI:003001', 'x86 UEFI boot from HTTP'],
    ['efi-riscv64', 'PXEClient:Arch:00027:UNDI:003001', 'RISC-V 64-bit UEFI'],
    ['http-riscv64', 'HTTPClient:Arch:00028:UNDI:003001', 'RISC-V 64-bit UEFI boot from HTTP'],
  ];
  it.each(CASES)('%s sends the vendor class %s', (firmware, vendorClass, architecture) => {
    const message = said(bootIdentity(firmware, { machineIdentifier: UUID }));
    expect(printed(message, OPTION.vendorClass)).toBe(vendorClass);
    expect(printed(message, OPTION.clientArchitecture)).toBe(architecture);
    expect(optionOf(message, OPTION.clientInterface)).toHaveLength(3);
    expect(optionOf(message, OPTION.parameterRequestList)).toContain(OPTION.bootFileName);
    expect(optionOf(message, OPTION.userClass)).toBeUndefined();
  });

  it("s390x sends only its architecture, as QEMU's loader does", () => {
    const message = said(bootIdentity('s390x'));
    expect(printed(message, OPTION.clientArchitecture)).toBe('s390 Basic');
    expect(optionOf(message, OPTION.vendorClass)).toBeUndefined();
    expect(optionOf(message, OPTION.clientInterface)).toBeUndefined();
  });

  it('identifies iPXE by its user class and its own options', () => {
    const message = said(bootIdentity('bios', { isIpxe: true }));
    expect(optionOf(message, OPTION.userClass)).toEqual(Buffer.from('iPXE'));
    expect(optionOf(message, OPTION.ipxe)).toBeDefined();
    expect(optionOf(message, OPTION.parameterRequestList)).toContain(OPTION.ipxe);
  });
});
