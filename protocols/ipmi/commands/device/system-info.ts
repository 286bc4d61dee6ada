import type { Machine } from '../../../machine/index.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { SetInProgress } from '../../session/set-in-progress.ts';
import type { SettingsStore } from '../../settings.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, REVISION_ONLY } from '../configuration-parameters.ts';

/** Get System Info Parameters, IPMI 2.0 §22.14b: revision-only flag, parameter, set selector, block selector. */
export const getSystemInfoParameters: SessionCommand = {
  name: 'Get System Info Parameters',
  netFn: NET_FN.app,
  command: 0x59,
  privilege: PRIVILEGE.user,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request, { bmc: { systemInfo } }) => {
    const parameter = request.readUInt8(1);
    if (parameter !== SYSTEM_INFO.setInProgress && !systemInfo.isString(parameter)) {
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `system info parameter ${parameter}`);
    }
    if ((request.readUInt8(0) & REVISION_ONLY) !== 0) return Buffer.of(PARAMETER_REVISION);
    if (parameter === SYSTEM_INFO.setInProgress) return Buffer.of(PARAMETER_REVISION, systemInfo.setInProgress.state);
    const block = request.readUInt8(2);
    return Buffer.concat([Buffer.of(PARAMETER_REVISION, block), systemInfo.read(parameter, block)]);
  },
};

/** Set System Info Parameters, IPMI 2.0 §22.14a: parameter, and for strings a block number and up to 16 bytes. */
export const setSystemInfoParameters: SessionCommand = {
  name: 'Set System Info Parameters',
  netFn: NET_FN.app,
  command: 0x58,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 18],
  repeatable: false,
  handle: async (request, { bmc: { systemInfo }, session }) => {
    const parameter = request.readUInt8(0);
    if (parameter === SYSTEM_INFO.setInProgress) {
      systemInfo.setInProgress.write(request.subarray(1), session);
    } else if (!systemInfo.isString(parameter)) {
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `system info parameter ${parameter}`);
    } else {
      if (request.length < 3) throw new CompletionError(COMPLETION.invalidLength, 'a block needs at least one byte');
      await systemInfo.write(parameter, request.readUInt8(1), request.subarray(2));
    }
  },
};

/** System info parameters, IPMI 2.0 table 22-16. */
const SYSTEM_INFO = {
  setInProgress: 0,
  systemFirmwareVersion: 1,
  systemName: 2,
  primaryOperatingSystem: 3,
  operatingSystem: 4,
  operatingSystemVersion: 5,
  bmcUrl: 6,
  hypervisorUrl: 7,
} as const;

const BLOCK_LENGTH = 16;
/** Block 0 starts with encoding and length: 17 blocks hold the longest string with a one-byte length. */
const BLOCK_COUNT = 17;
const STRING_AT = 2;
const MAX_STRING = 255;
const UTF8 = 1;
const ASCII = 0;
const LAST = SYSTEM_INFO.hypervisorUrl;

/** System info of a BMC: values written by clients, or else known data of the machine. */
export class SystemInfo {
  readonly #machine: Machine;
  readonly #settings: SettingsStore;
  /** Parameter 0. */
  readonly setInProgress = new SetInProgress();

  constructor(machine: Machine, settings: SettingsStore) {
    this.#machine = machine;
    this.#settings = settings;
  }

  /** Whether a parameter is one of the strings. */
  isString(parameter: number): boolean {
    return parameter > SYSTEM_INFO.setInProgress && parameter <= LAST;
  }

  /** A block of a string. @throws CompletionError 0xC9 for a block after the end */
  read(parameter: number, block: number): Buffer {
    const blocks = this.#blocks(parameter);
    if (block > 0 && block * BLOCK_LENGTH >= STRING_AT + blocks.readUInt8(1)) throw noSuchBlock(block);
    return blocks.subarray(block * BLOCK_LENGTH, (block + 1) * BLOCK_LENGTH);
  }

  /** Stores a block; a shorter one is filled with zeros. @throws CompletionError 0xC9, MachineError */
  async write(parameter: number, block: number, data: Buffer): Promise<void> {
    if (block >= BLOCK_COUNT) throw noSuchBlock(block);
    await this.#settings.change(({ systemInfo }) => {
      const blocks = this.#blocks(parameter, systemInfo);
      blocks.fill(0, block * BLOCK_LENGTH, (block + 1) * BLOCK_LENGTH);
      data.copy(blocks, block * BLOCK_LENGTH, 0, BLOCK_LENGTH);
      const length = STRING_AT + blocks.readUInt8(1);
      const hex = blocks.subarray(0, Math.max(length, (block + 1) * BLOCK_LENGTH)).toString('hex');
      return { systemInfo: { ...systemInfo, [parameter]: hex } };
    });
  }

  #blocks(parameter: number, systemInfo = this.#settings.current().systemInfo): Buffer {
    const blocks = Buffer.alloc(BLOCK_COUNT * BLOCK_LENGTH);
    const written = systemInfo?.[String(parameter)];
    if (written === undefined) encodeString(this.#known(parameter)).copy(blocks);
    else Buffer.from(written, 'hex').copy(blocks);
    return blocks;
  }

  /** Empty if unknown: the hypervisor does not report the firmware version of a machine. */
  #known(parameter: number): string {
    const { name, version } = this.#machine.hardware().operatingSystem ?? {};
    switch (parameter) {
      case SYSTEM_INFO.systemName:
        return this.#machine.identity().name;
      case SYSTEM_INFO.operatingSystem:
        return [name, version].filter((part) => part !== undefined).join(' ');
      case SYSTEM_INFO.primaryOperatingSystem:
        return name ?? '';
      case SYSTEM_INFO.operatingSystemVersion:
        return version ?? '';
      default:
        return '';
    }
  }
}

function encodeString(text: string): Buffer {
  const string = Buffer.from(text, 'utf8').subarray(0, MAX_STRING);
  const isAscii = string.every((byte) => byte < 0x80);
  return Buffer.concat([Buffer.of(isAscii ? ASCII : UTF8, string.length), string]);
}

function noSuchBlock(block: number): CompletionError {
  return new CompletionError(COMPLETION.outOfRange, `system info block ${block}`);
}
