import type { z } from 'zod';
import type { condition } from './schemas/condition.ts';

/** metav1.Condition. */
export type Condition = z.input<typeof condition>;
