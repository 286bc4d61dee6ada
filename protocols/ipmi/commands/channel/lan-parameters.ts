import { isIPv4 } from 'node:net';
import { PRIVILEGE } from '../../message/codes.ts';
import { uint16 } from '../../message/integers.ts';
import type { Bmc } from '../command.ts';

/** Authentication type MD5 as a mask bit. */
const MD5 = 0x04;
/** Number of levels with authentication types: Callback, User, Operator, Administrator, OEM. */
const AUTH_LEVELS = 5;
const OEM_LEVEL = 4;
/** Address source "other": assigned by the platform, neither static nor from DHCP or BIOS. */
const OTHER_SOURCE = 0x04;
const MAX_SUITES = 16;
/** Failed log-ins are written to the event log. */
const AUDITED = 0x01;
/** Seconds per interval unit. */
const INTERVAL = 10;

const NO_ADDRESS = [0, 0, 0, 0];
const NO_MAC_ADDRESS = [0, 0, 0, 0, 0, 0];

/**
 * The LAN configuration parameters, IPMI 2.0 table 23-4, by number; others are not supported. The BMC knows only the address for its
 * clients. Other network data reads as zeros, since FreeIPMI and pyghmi require an answer.
 */
export const LAN_PARAMETERS: Readonly<Record<number, (bmc: Bmc) => Buffer>> = {
  /** Set in progress. */
  0: (bmc) => Buffer.of(bmc.setInProgress.lan.state),
  /** Authentication types for IPMI 1.5. */
  1: (bmc) => Buffer.of(authTypes(bmc)),
  2: (bmc) => Buffer.from(Array.from({ length: AUTH_LEVELS }, (_, level) => (level < OEM_LEVEL ? authTypes(bmc) : 0))),
  /** IP address and its source. */
  3: (bmc) => Buffer.from(addressOf(bmc) ?? NO_ADDRESS),
  4: (bmc) => Buffer.of(addressOf(bmc) === undefined ? 0 : OTHER_SOURCE),
  /** MAC address, subnet mask. */
  5: () => Buffer.from(NO_MAC_ADDRESS),
  6: () => Buffer.from(NO_ADDRESS),
  /** Primary RMCP port. */
  8: portOf,
  /** Default gateway, its MAC address, and the same of the backup gateway. */
  12: () => Buffer.from(NO_ADDRESS),
  13: () => Buffer.from(NO_MAC_ADDRESS),
  14: () => Buffer.from(NO_ADDRESS),
  15: () => Buffer.from(NO_MAC_ADDRESS),
  /** Alert destinations: none. */
  17: () => Buffer.of(0),
  /** 802.1q VLAN: off. */
  20: () => Buffer.of(0, 0),
  21: () => Buffer.of(0),
  /** Cipher suites: count, IDs, privilege limits. */
  22: (bmc) => Buffer.of(bmc.cipherSuites.length),
  23: (bmc) =>
    padded(
      bmc.cipherSuites.toSorted((a, b) => a - b),
      1 + MAX_SUITES,
    ),
  24: (bmc) => suitePrivileges(bmc.cipherSuites.length),
  26: badPasswordThreshold,
};

function authTypes(bmc: Bmc): number {
  return bmc.login15 !== undefined && !bmc.hasBmcKey() ? MD5 : 0;
}

function addressOf(bmc: Bmc): number[] | undefined {
  const address = bmc.lanAddress();
  return address !== undefined && isIPv4(address) ? address.split('.').map(Number) : undefined;
}

function portOf(bmc: Bmc): Buffer {
  return uint16(bmc.payloadPort());
}

/** The first byte is reserved. */
function padded(values: readonly number[], length: number): Buffer {
  const data = Buffer.alloc(length);
  data.set(values, 1);
  return data;
}

/** 4 bits per suite, the first in the low bits; 0 for unused entries. */
function suitePrivileges(count: number): Buffer {
  const data = Buffer.alloc(1 + MAX_SUITES / 2);
  for (let i = 0; i < count; i += 1) {
    const at = 1 + (i >> 1);
    data.writeUInt8(data.readUInt8(at) | (PRIVILEGE.administrator << (4 * (i & 1))), at);
  }
  return data;
}

/** Bad password threshold, IPMI 2.0 table 23-4: the owner's lockout settings in units of the specification. */
function badPasswordThreshold({ lockout }: Bmc): Buffer {
  const interval = Math.ceil(lockout.seconds / INTERVAL);
  const data = Buffer.alloc(6);
  data.writeUInt8(AUDITED, 0);
  data.writeUInt8(Math.min(lockout.threshold, 0xff), 1);
  data.writeUInt16LE(interval, 2);
  data.writeUInt16LE(interval, 4);
  return data;
}
