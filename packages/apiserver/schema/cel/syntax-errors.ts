const OPERANDS =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const NO_OPERAND = `mismatched input '<EOF>' expecting {${OPERANDS}}`;
const TOKEN = /[A-Za-z_]\w*|\d[\d.]*|"[^"]*"|'[^']*'|&&|\|\||[=!<>]=|\S/y;

/** The parser's words, and cel-go's for the same. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Unexpected token: EOF$/, NO_OPERAND],
  [/^Expected RPAREN, got EOF$/, "missing ')' at '<EOF>'"],
  [/^Expected RBRACKET, got EOF$/, "mismatched input '<EOF>' expecting {']', ','}"],
  [/^Expected COLON, got RBRACE$/, "mismatched input '}' expecting ':'"],
  [/^Expected COLON, got EOF$/, "mismatched input '<EOF>' expecting ':'"],
  [/^Expected RBRACE, got EOF$/, "mismatched input '<EOF>' expecting {'}', ','}"],
  [/^Expected IDENTIFIER, got DOT$/, "no viable alternative at input '..'"],
  [/^Expected IDENTIFIER, got EOF$/, "no viable alternative at input '.'"],
];

export interface SyntaxProblem {
  readonly message: string;
  readonly offset: number;
}

/** What keeps a text from being parsed, in cel-go's words where they are known, else in the parser's own. */
export function syntaxErrors(error: unknown, text: string): SyntaxProblem[] {
  if (!(error instanceof Error)) throw error;
  const { summary = error.message, range } = error as Error & { summary?: string; range?: { start: number } }; // its ParseError
  const offset = range?.start ?? text.length;
  if (summary.endsWith('invalid predicate iteration variable')) {
    const isField = text[offset - 1] === '.';
    return [{ message: 'argument must be a simple name', offset: isField ? offset - 1 : offset }];
  }
  if (summary.startsWith('Reserved identifier')) return [{ message: summary.replace('Reserved', 'reserved'), offset }];
  return problems(summary, text, offset).map(({ message, ...place }) => ({
    message: `Syntax error: ${message}`,
    ...place,
  }));
}

function problems(summary: string, text: string, offset: number): SyntaxProblem[] {
  if (summary === 'Unterminated string')
    return [
      { message: `token recognition error at: '${text.slice(offset)}'`, offset },
      { message: NO_OPERAND, offset: text.length },
    ];
  if (summary.startsWith("Unexpected character: '")) return surplus(text, offset);
  if (summary.startsWith('Unexpected character: ')) return unknownToken(text, offset);
  if (summary.startsWith('Unexpected token: ') && offset < text.length) {
    const found = tokenAt(text, offset);
    const way = found === ')' ? 'mismatched' : 'extraneous';
    return [{ message: `${way} input '${found}' expecting {${OPERANDS}}`, offset }];
  }
  const known = WORDS.find(([pattern]) => pattern.test(summary));
  return [{ message: known === undefined ? summary : known[1], offset }];
}

/** More than one expression: ANTLR would drop one word, but not several. */
function surplus(text: string, offset: number): SyntaxProblem[] {
  const found = tokenAt(text, offset);
  const isLast = text.slice(offset + found.length).trim() === '';
  return [{ message: `${isLast ? 'extraneous' : 'mismatched'} input '${found}' expecting <EOF>`, offset }];
}

/** What no word of the language begins with; half of an operator takes the next character with it. */
function unknownToken(text: string, offset: number): SyntaxProblem[] {
  const found = text.slice(offset, offset + (/[=&|]/.test(text.charAt(offset)) ? 2 : 1));
  const first = { message: `token recognition error at: '${found}'`, offset };
  const next = offset + found.length + (/\S/.exec(text.slice(offset + found.length))?.index ?? text.length);
  const isFirst = text.slice(0, offset).trim() === '';
  if (next < text.length) return isFirst ? [first] : [first, ...surplus(text, next)];
  return isFirst ? [first, { message: NO_OPERAND, offset: text.length }] : [first];
}

function tokenAt(text: string, offset: number): string {
  TOKEN.lastIndex = offset;
  return TOKEN.exec(text)?.[0] ?? text.charAt(offset);
}
