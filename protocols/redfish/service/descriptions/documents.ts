import { ROOT } from '../../uris.ts';
import { type Answer, jsonAnswer, isUnchanged } from '../exchange/index.ts';
import { Metadata } from './metadata.ts';
import { odata } from './odata.ts';
import type { ResourceTree } from '../tree/index.ts';

/** Documents by path without trailing slash; the function gets the header If-None-Match. */
export type OpenDocuments = ReadonlyMap<string, (ifNoneMatch: string | undefined) => Promise<Answer>>;

const ALLOW = { Allow: 'GET, HEAD' };

/** Read-only documents without authentication (DSP0266 §13.2.7). They reveal nothing about the machine and are cheap. */
export function openDocuments(tree: ResourceTree): OpenDocuments {
  const metadata = new Metadata(tree);
  return new Map([
    ['/redfish', () => Promise.resolve(jsonAnswer(200, { v1: `${ROOT}/` }, ALLOW))],
    [`${ROOT}/odata`, async () => jsonAnswer(200, await odata(tree), ALLOW)],
    [
      `${ROOT}/$metadata`,
      async (ifNoneMatch: string | undefined): Promise<Answer> => {
        const { text, etag } = await metadata.document();
        const headers = { ...ALLOW, ETag: etag };
        if (isUnchanged(ifNoneMatch, etag)) return { status: 304, headers };
        return { status: 200, text, contentType: 'application/xml;charset=utf-8', headers };
      },
    ],
  ]);
}
