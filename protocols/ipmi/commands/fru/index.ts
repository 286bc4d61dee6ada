import type { Command } from '../command.ts';
import { getFruInventoryAreaInfo, readFruData, writeFruData } from './fru-commands.ts';

/** FRU commands, IPMI 2.0 §34. */
export const FRU_COMMANDS: readonly Command[] = [getFruInventoryAreaInfo, readFruData, writeFruData];
