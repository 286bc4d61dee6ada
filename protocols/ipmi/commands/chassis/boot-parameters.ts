import { ownCopy } from '../../../own-copy.ts';
import type { SessionCommandContext } from '../command.ts';
import { BOOT_FLAGS_LENGTH } from './boot-flags.ts';
import { INITIATOR_INFO_LENGTH } from './boot-options.ts';

/** Bit 7 of the selector: the parameter is invalid or locked. */
export const PARAMETER_LOCKED = 0x80;
export const PARAMETER_MASK = 0x7f;

const SCAN_MASK = 0x03;
const VALID_BIT_CLEARING_MASK = 0x1f;
const CHANNEL_MASK = 0x0f;

/** A boot option parameter, IPMI 2.0 table 28-14: its data without version and selector. */
export interface BootParameter {
  /** Minimum and maximum data bytes of a write. */
  readonly length: readonly [min: number, max: number];
  /** @param set set selector, for parameters with blocks. @throws CompletionError */
  read(set: number, context: SessionCommandContext): Buffer;
  /** @throws CompletionError, MachineError */
  write(data: Buffer, context: SessionCommandContext): void | Promise<void>;
}

export const BOOT_PARAMETERS: Readonly<Record<number, BootParameter>> = {
  /** Set in progress. */
  0: {
    length: [1, 1],
    read: (_set, { bmc }) => Buffer.of(bmc.bootOptions.setInProgress.state),
    write: (data, { bmc, session }) => {
      bmc.bootOptions.setInProgress.write(data, session);
    },
  },
  /** Service partition selector. */
  1: {
    length: [1, 1],
    read: (_set, { bmc }) => Buffer.of(bmc.bootOptions.servicePartition),
    write: (data, { bmc }) => {
      bmc.bootOptions.servicePartition = data.readUInt8(0);
    },
  },
  /** Service partition scan. */
  2: {
    length: [1, 1],
    read: (_set, { bmc }) => Buffer.of(bmc.bootOptions.servicePartitionScan),
    write: (data, { bmc }) => {
      bmc.bootOptions.servicePartitionScan = data.readUInt8(0) & SCAN_MASK;
    },
  },
  /** Boot flag valid bit clearing. */
  3: {
    length: [1, 1],
    read: (_set, { bmc }) => Buffer.of(bmc.bootOptions.validBitClearing),
    write: (data, { bmc }) => {
      bmc.bootOptions.validBitClearing = data.readUInt8(0) & VALID_BIT_CLEARING_MASK;
    },
  },
  /** Boot info acknowledge. */
  4: {
    length: [2, 2],
    // The write mask reads as zero.
    read: (_set, { bmc }) => Buffer.of(0, bmc.bootOptions.acknowledge),
    write: (data, { bmc: { bootOptions } }) => {
      const mask = data.readUInt8(0);
      bootOptions.acknowledge = (bootOptions.acknowledge & ~mask) | (data.readUInt8(1) & mask);
    },
  },
  /** Boot flags. */
  5: {
    length: [BOOT_FLAGS_LENGTH, BOOT_FLAGS_LENGTH],
    read: (_set, { bmc, now }) => bmc.bootOptions.flags(now),
    write: (data, { bmc, requester, now }) => bmc.bootOptions.setFlags(data, requester, now),
  },
  /** Boot initiator info. */
  6: {
    length: [INITIATOR_INFO_LENGTH, INITIATOR_INFO_LENGTH],
    read: (_set, { bmc }) => bmc.bootOptions.initiatorInfo,
    write: (data, { bmc }) => {
      const info = ownCopy(data);
      info.writeUInt8(info.readUInt8(0) & CHANNEL_MASK, 0);
      bmc.bootOptions.initiatorInfo = info;
    },
  },
  /** Boot initiator mailbox: the block number precedes the data. */
  7: {
    length: [2, 17],
    read: (set, { bmc }) => Buffer.concat([Buffer.of(set), bmc.bootOptions.mailbox.read(set)]),
    write: (data, { bmc }) => {
      bmc.bootOptions.mailbox.write(data.readUInt8(0), data.subarray(1));
    },
  },
};
