import { CHASSIS, SYSTEM } from '../uris.ts';

/** Where the collections stand. */
export const BIOS = `${SYSTEM}/Bios`;
export const BOOT_OPTIONS = `${SYSTEM}/BootOptions`;
/** Schemas have them stand at the chassis. */
export const DRIVES = `${CHASSIS}/Drives`;
export const ETHERNET_INTERFACES = `${SYSTEM}/EthernetInterfaces`;
export const MEMORY = `${SYSTEM}/Memory`;
export const PROCESSORS = `${SYSTEM}/Processors`;
export const SECURE_BOOT = `${SYSTEM}/SecureBoot`;
export const SIMPLE_STORAGE = `${SYSTEM}/SimpleStorage`;
export const STORAGE = `${SYSTEM}/Storage`;
