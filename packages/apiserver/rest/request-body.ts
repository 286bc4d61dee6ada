import type { ParsedYaml } from '../golang/index.ts';
import type { Json } from '../json.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** What a request has sent, to be parsed by whoever knows what it must be. */
export class RequestBody {
  /** Media type, without parameters. */
  readonly type: string;
  readonly text: string;
  readonly #parse: () => ParsedYaml;

  constructor(type: string, text: string, parse: () => ParsedYaml) {
    this.type = type;
    this.text = text;
    this.#parse = parse;
  }

  /** Throws SyntaxError in the words of Go's parsers. */
  parse(): ParsedYaml {
    return this.#parse();
  }

  /** As an object, or whatever it is, of a kind. Throws 415 for media types that objects do not come in, and 400. */
  object(kind: string): ParsedYaml {
    if (!OBJECT_TYPES.includes(this.type)) throw unsupportedMediaType(OBJECT_TYPES);
    try {
      return this.#parse();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const isYaml = this.type === 'application/yaml';
      throw this.unrecognized(
        kind,
        isYaml ? error.message : `couldn't get version/kind; json parse error: ${error.message}`,
      );
    }
  }

  /** What options and reviews are read from; undefined where nothing was sent. Throws 415 and 400. */
  value(kind: string): Json | undefined {
    return this.text === '' ? undefined : this.object(kind).value;
  }

  /** 400: not even its kind can be told. */
  unrecognized(kind: string, problem: string): Error {
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${problem} (${summary(this.text)})`,
    );
  }
}

/** The beginning; of what does not look like JSON in hexadecimal digits. */
function summary(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const start = bytes.subarray(0, 30).toString(text.startsWith('{') ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${start} ...` : start;
}
