import type { Json } from '../json.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** What a request has sent, to be parsed by the handler that knows what it must be. */
export class RequestBody {
  /** Media type, without parameters. */
  readonly type: string;
  readonly text: string;
  readonly #parse: () => Json;

  constructor(type: string, text: string, parse: () => Json) {
    this.type = type;
    this.text = text;
    this.#parse = parse;
  }

  /** Throws 400 for what cannot be parsed. */
  parse(): Json {
    try {
      return this.#parse();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw badRequest(`the request's body cannot be parsed as ${this.type}: ${error.message}`);
    }
  }

  /** As an object, or whatever it is. Throws 415 for media types that objects do not come in, and 400. */
  object(): Json {
    if (!OBJECT_TYPES.includes(this.type)) throw unsupportedMediaType(OBJECT_TYPES);
    return this.parse();
  }

  /** What options and reviews are read from; undefined where nothing was sent. Throws 415 and 400. */
  value(): Json | undefined {
    return this.text === '' ? undefined : this.object();
  }
}
