import { CHASSIS, SYSTEM } from '../uris.ts';

/** URIs of the collections. */
export const BIOS = `${SYSTEM}/Bios`;
export const BOOT_OPTIONS = `${SYSTEM}/BootOptions`;
/** The schema places drives under the chassis. */
export const DRIVES = `${CHASSIS}/Drives`;
export const ETHERNET_INTERFACES = `${SYSTEM}/EthernetInterfaces`;
export const MEMORY = `${SYSTEM}/Memory`;
export const PROCESSORS = `${SYSTEM}/Processors`;
export const SECURE_BOOT = `${SYSTEM}/SecureBoot`;
export const SIMPLE_STORAGE = `${SYSTEM}/SimpleStorage`;
export const STORAGE = `${SYSTEM}/Storage`;
