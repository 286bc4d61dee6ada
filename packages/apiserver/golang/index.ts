export { parseGoJson } from './parse-json.ts';
export type { Entries, ParsedJson } from './json-parser.ts';
export { duplicateFields } from './duplicate-fields.ts';
export { canonicalQuantity, quantityValue } from './quantity.ts';
export { canonicalTime, canonicalMicroTime } from './go-time.ts';
export { canonicalBytes } from './go-bytes.ts';
export { parseYaml, type ParsedYaml, type YamlModule } from './parse-yaml.ts';
