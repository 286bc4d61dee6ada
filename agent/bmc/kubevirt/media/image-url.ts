import { MachineError, type MediaImage } from '../../../../protocols/machine/index.ts';

/** URL and credentials of an image. */
export interface ImageOrder {
  /** Without credentials. */
  url: URL;
  login?: { userName: string; password: string };
}

/** Maximum length of a URL in the status. */
const MAX_LENGTH = 2048;

/** @throws MachineError `NotSupported` if the image has no valid URL */
export function imageOrderOf(image: MediaImage): ImageOrder {
  const url = URL.parse(image.image);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new MachineError('NotSupported', 'the image must be an http:// or https:// URL');
  }
  const userName = present(image.userName) ?? present(decoded(url.username));
  const password = present(image.password) ?? decoded(url.password);
  url.username = '';
  url.password = '';
  url.hash = '';
  // Removes a question mark without a query.
  if (url.search === '') url.search = '';
  if (url.href.length > MAX_LENGTH) {
    throw new MachineError('NotSupported', `the URL of the image is longer than ${MAX_LENGTH} characters`);
  }
  return userName === undefined ? { url } : { url, login: { userName, password } };
}

/** Whether a redirect may receive the credentials: only on the same host, and not from HTTPS to HTTP. */
export function mayKnowLogin(next: URL, first: URL): boolean {
  return next.host === first.host && (next.protocol === first.protocol || next.protocol === 'https:');
}

/** The URL for logs and Events: without credentials and without the query, which may contain a key. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  return url === null || url.host === '' ? 'an invalid URL' : `${url.protocol}//${url.host}${url.pathname}`;
}

/** What the status shows for a query, which may hold a key, as that of a pre-signed URL does. */
const MASK = '?***';

/** The URL for the status and for clients. */
export function maskedUrl(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? url : `${url.slice(0, start)}${MASK}`;
}

/** Whether the URL was masked, so that Secret `<bmc>-<drive>-login` has the whole one until the image is imported. */
export function isMasked(url: string | undefined): boolean {
  return url?.endsWith(MASK) === true;
}

/** A sentence in which the URLs are masked: CDI repeats them in its errors. */
export function withMaskedUrls(sentence: string): string {
  return sentence.replaceAll(/(https?:\/\/[^\s"<>?]+)\?[^\s"<>]*/gi, `$1${MASK}`);
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
