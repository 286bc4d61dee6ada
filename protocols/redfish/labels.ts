import type { JsonObject } from './json.ts';
import type { ObjectRule } from './rules.ts';
import type { RedfishSettings } from './state.ts';

/** Asset tag and indicator, which System and Chassis share. @param withLegacy whether `IndicatorLED` is shown */
export function labelRules(withLegacy: boolean): ObjectRule['properties'] {
  return {
    AssetTag: { kind: 'text', maxLength: 63, isNullable: true },
    LocationIndicatorActive: { kind: 'flag' },
    ...(withLegacy && { IndicatorLED: { kind: 'word', words: ['Lit', 'Off'] } }),
  };
}

/** Null restores the machine's own asset tag. The newer of the two indicator properties takes precedence. */
export function withLabels(settings: RedfishSettings, changes: JsonObject): RedfishSettings {
  const { AssetTag: tag, IndicatorLED: led, LocationIndicatorActive: active = led && led === 'Lit' } = changes;
  const { assetTag: _before, ...rest } = settings;
  return {
    ...(tag === undefined ? settings : rest),
    ...(typeof tag === 'string' && { assetTag: tag }),
    ...(typeof active === 'boolean' && { indicatorActive: active }),
  };
}
