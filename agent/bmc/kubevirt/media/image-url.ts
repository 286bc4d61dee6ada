import { MachineError, type MediaImage } from '../../../../protocols/machine/index.ts';

/** What an image is asked for by. */
export interface ImageOrder {
  /** Without credentials. */
  url: URL;
  login?: { userName: string; password: string };
}

/** Longest URL that the status takes. */
const MAX_LENGTH = 2048;

/** @throws MachineError `NotSupported` for what is no URL of an image */
export function imageOrderOf(image: MediaImage): ImageOrder {
  const url = URL.parse(image.image);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new MachineError('NotSupported', 'the image is to be an http:// or https:// URL');
  }
  const userName = present(image.userName) ?? present(decoded(url.username));
  const password = present(image.password) ?? decoded(url.password);
  url.username = '';
  url.password = '';
  url.hash = '';
  if (url.href.length > MAX_LENGTH) {
    throw new MachineError('NotSupported', `the URL of the image is longer than ${MAX_LENGTH} characters`);
  }
  return userName === undefined ? { url } : { url, login: { userName, password } };
}

/** Whether credentials may go where a redirect leads: to the server that they were given for, where nobody can listen who could not before. */
export function mayKnowLogin(next: URL, first: URL): boolean {
  return next.host === first.host && (next.protocol === first.protocol || next.protocol === 'https:');
}

/** As people are told of it, whatever a client has sent: without credentials, and what stands behind `?` may be a key. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  return url === null || url.host === '' ? 'what is no URL' : `${url.protocol}//${url.host}${url.pathname}`;
}

function present(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
