import { RUN_STRATEGIES, type RunStrategy, type VirtualMachineSpec } from '../kubevirt/objects.ts';

/** The strategy in force; undefined where the spec names none, both ways at once, or one that does not exist. */
export function runStrategyOf(spec: VirtualMachineSpec): RunStrategy | undefined {
  if (spec.runStrategy !== undefined && spec.running !== undefined) return undefined;
  if (spec.running !== undefined) return spec.running ? 'Always' : 'Halted';
  return RUN_STRATEGIES.find((strategy) => strategy === spec.runStrategy);
}
