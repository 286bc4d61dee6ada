import type { MediaImage } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import type { Rule } from '../rules.ts';

/** Maximum length of a URL. */
const MAX_URL = 2048;

const NO_UPLOAD = { Upload: 'Nothing can be uploaded to the BMC: put the image on a web server, and give its URL.' };
const WEB_ALONE = 'Images come by HTTP and HTTPS alone.';

/** Parameters of an image, in InsertMedia and in PATCH. */
export const IMAGE_RULES = {
  Image: { kind: 'text', maxLength: MAX_URL },
  Inserted: { kind: 'flag', isNullable: true },
  WriteProtected: { kind: 'flag', isNullable: true },
  UserName: { kind: 'text', maxLength: 255, isNullable: true },
  Password: { kind: 'text', maxLength: 255, isNullable: true, isSecret: true },
  TransferMethod: { kind: 'word', words: ['Stream'], absent: NO_UPLOAD, isNullable: true },
  TransferProtocolType: {
    kind: 'word',
    words: ['HTTP', 'HTTPS'],
    absent: { NFS: WEB_ALONE, CIFS: WEB_ALONE },
    isNullable: true,
  },
} as const satisfies Record<string, Rule>;

/** Missing parameters have the schema's defaults: inserted and write-protected. */
export function imageOf(image: string, given: JsonObject): MediaImage {
  const { Inserted: inserted, WriteProtected: writeProtected, UserName: userName, Password: password } = given;
  return {
    image,
    isInserted: inserted !== false,
    isWriteProtected: writeProtected !== false,
    // Some clients send every field, also empty.
    ...(typeof userName === 'string' && userName !== '' ? { userName } : {}),
    ...(typeof password === 'string' && password !== '' ? { password } : {}),
  };
}

/** Whether the requested protocol differs from the one in the URL. */
export function namesOtherProtocol(image: string, protocol: unknown): boolean {
  if (typeof protocol !== 'string') return false;
  return !image.toLowerCase().startsWith(`${protocol.toLowerCase()}://`);
}
