import type { JsonObject } from '../json.ts';
import { LOG_MESSAGES, LOG_REGISTRY, LOG_REGISTRY_VERSION } from '../log/index.ts';
import { VENDOR } from '../product.ts';
import type { Resource } from '../resource.ts';

/** Messages of the event log (DSP0266 §9.5.11.2). */
export const LOG_MESSAGE_REGISTRY: Resource = {
  type: 'MessageRegistry.v1_7_0.MessageRegistry',
  read: () => ({
    Id: `${LOG_REGISTRY}.${LOG_REGISTRY_VERSION}`,
    Name: 'Event Log Message Registry',
    Description: 'What lines of the event log say',
    Language: 'en',
    RegistryPrefix: LOG_REGISTRY,
    RegistryVersion: LOG_REGISTRY_VERSION,
    OwningEntity: VENDOR,
    Messages: Object.fromEntries(
      Object.entries(LOG_MESSAGES).map(([name, { text, severity }]) => [name, definition(text, severity)]),
    ),
  }),
};

function definition(text: string, severity: string): JsonObject {
  const count = text.match(/%\d/g)?.length ?? 0;
  return {
    Description: text,
    Message: text,
    MessageSeverity: severity,
    NumberOfArgs: count,
    ...(count > 0 && { ParamTypes: Array.from({ length: count }, () => 'string') }),
    Resolution: 'None.',
  };
}
