import { at } from '../json.ts';
import type { Column } from '../resources/index.ts';
import descriptions from './builtin-descriptions.json' with { type: 'json' };
import { ageColumn, column } from './column.ts';

const { Name, Age } = descriptions['/pods'];

/** Columns of `kubectl get --subresource=scale`. */
export const scaleColumns: Column[] = [
  { ...column('Name', (scale) => scale.metadata.name), description: Name },
  {
    ...column('Desired', (scale) => at(scale, 'spec', 'replicas') ?? 0),
    type: 'integer',
    description: 'replicas is the desired number of instances for the scaled object.',
  },
  {
    ...column('Available', (scale) => at(scale, 'status', 'replicas') ?? 0),
    type: 'integer',
    description: 'replicas is the actual number of observed instances of the scaled object.',
  },
  { ...ageColumn, description: Age },
];
