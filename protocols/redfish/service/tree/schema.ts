import type { Resource } from '../../resource.ts';

/** `ComputerSystem` of `ComputerSystem.v1_27_0.ComputerSystem`. */
export function schemaName({ type }: Resource): string {
  return type.slice(0, type.indexOf('.'));
}

/** Location of the schema at DMTF: `http://redfish.dmtf.org/schemas/v1/ComputerSystem.v1_27_0.json`. */
export function schemaUri({ type }: Resource): string {
  return `http://redfish.dmtf.org/schemas/v1/${type.slice(0, type.lastIndexOf('.'))}.json`;
}
