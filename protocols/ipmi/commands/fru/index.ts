import type { Command } from '../command.ts';
import { getFruInventoryAreaInfo } from './get-fru-inventory-area-info.ts';
import { readFruData } from './read-fru-data.ts';
import { writeFruData } from './write-fru-data.ts';

/** FRU commands, IPMI 2.0 §34. */
export const FRU_COMMANDS: readonly Command[] = [getFruInventoryAreaInfo, readFruData, writeFruData];
