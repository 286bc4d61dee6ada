import { z } from 'zod';
import { count, dateTime, text } from './fields.ts';

/** metav1.Condition, with the limits that Kubernetes sets it. */
export const condition = z
  .object({
    type: z
      .string()
      .max(316)
      .regex(
        /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
      )
      .meta({ description: 'Which condition this is.' }),
    status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it holds.' }),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .meta({ description: 'Why, in one CamelCase word for programs.' }),
    message: text(32_768, 'Why, and what to do, in a sentence for people.'),
    lastTransitionTime: dateTime('When status last changed.'),
    observedGeneration: count('Generation of the object that this was found out of.').optional(),
  })
  .meta({ description: 'One aspect of the state of the object.' });

/** `status.conditions`: a list that server-side apply merges by type. */
export const conditions = z
  .array(condition)
  .max(32)
  .meta({
    description: 'The state of the object, aspect by aspect.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  });
