import { ROOT } from '../uris.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { metadata } from './metadata.ts';
import { odata } from './odata.ts';
import type { ResourceTree } from './resource-tree.ts';

/** What is no resource, is only read, and is open to all (DSP0266 §13.2.7), by path without a slash at its end. */
export const OPEN_DOCUMENTS: ReadonlyMap<string, (tree: ResourceTree) => Promise<Answer>> = new Map([
  ['/redfish', () => Promise.resolve(jsonAnswer(200, { v1: `${ROOT}/` }))],
  [`${ROOT}/odata`, async (tree: ResourceTree) => jsonAnswer(200, await odata(tree))],
  [
    `${ROOT}/$metadata`,
    async (tree: ResourceTree) => ({
      status: 200,
      text: await metadata(tree),
      contentType: 'application/xml;charset=utf-8',
    }),
  ],
]);
