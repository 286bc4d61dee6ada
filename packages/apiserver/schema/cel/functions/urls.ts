import { hasFormat } from '../../formats.ts';
import { quoted } from '../../go-text.ts';
import { BOOL, listOf, mapOf, STRING, URL_TYPE } from '../types.ts';
import { CelError, OpaqueValue, PlainList, PlainMap, type CelValue } from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';

/** Kubernetes' library of URLs: absolute ones, or absolute paths. */
export const URLS: Functions = {
  url: [plain([STRING], URL_TYPE, (text: string) => new UrlValue(text))],
  isURL: [plain([STRING], BOOL, (text: string) => hasFormat(text, 'uri'))],
  getScheme: [member([URL_TYPE], STRING, (url: UrlValue) => url.scheme)],
  getHost: [member([URL_TYPE], STRING, (url: UrlValue) => url.host)],
  getHostname: [
    member([URL_TYPE], STRING, (url: UrlValue) => url.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')),
  ],
  getPort: [member([URL_TYPE], STRING, (url: UrlValue) => /:(\d*)$/.exec(url.host)?.[1] ?? '')],
  getEscapedPath: [member([URL_TYPE], STRING, (url: UrlValue) => url.path)],
  getQuery: [member([URL_TYPE], mapOf(STRING, listOf(STRING)), (url: UrlValue) => url.query())],
};

/** In the parts that Go's url.URL has, as they were written. */
class UrlValue extends OpaqueValue {
  readonly typeName = 'kubernetes.URL';
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly #text: string;
  readonly #query: string;

  constructor(text: string) {
    super();
    if (!hasFormat(text, 'uri'))
      throw new CelError(`URL parse error during conversion from string: parse ${quoted(text)}: ${problemOf(text)}`);
    const match = /^(?:([A-Za-z][A-Za-z\d+.-]*):)?(?:\/\/(?:[^/?#@]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text);
    const [, scheme = '', host = '', path = '', query = ''] = match ?? [];
    this.scheme = scheme.toLowerCase();
    this.host = host;
    this.path = path.replace(/[^\u0021-\u007e]|["<>[\\\]^`{|}]/gu, (character) => encodeURIComponent(character));
    this.#query = query;
    this.#text = text;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.#text === this.#text;
  }

  query(): PlainMap {
    const values = new URLSearchParams(this.#query);
    return new PlainMap(
      [...new Set(values.keys())].map((key): [CelValue, CelValue] => [key, new PlainList(values.getAll(key))]),
    );
  }
}

/** Go's reason; of the many those that people meet. */
function problemOf(text: string): string {
  if (text === '') return 'empty url';
  return text.startsWith(':') ? 'missing protocol scheme' : 'invalid URI for request';
}
