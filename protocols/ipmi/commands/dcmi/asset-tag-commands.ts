import { PRIVILEGE } from '../../message/privilege.ts';
import type { Bmc } from '../command.ts';
import { assetTagBytes } from './asset-tag.ts';
import { dcmiCommand } from './dcmi-command.ts';
import { MAX_PART, readText, writeText } from './dcmi-text.ts';

/** Bytes, as UTF-8. */
const MAX_ASSET_TAG = 63;

/** Get Asset Tag, DCMI 1.5 §6.4.2. */
export const getAssetTag = dcmiCommand({
  name: 'Get Asset Tag',
  command: 0x06,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => readText(tagBytes(bmc), request),
});

/** Set Asset Tag, DCMI 1.5 §6.4.3; the FRU inventory shows it too. */
export const setAssetTag = dcmiCommand({
  name: 'Set Asset Tag',
  command: 0x08,
  privilege: PRIVILEGE.operator,
  requestLength: [2, 2 + MAX_PART],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const text = writeText(tagBytes(bmc), request, MAX_ASSET_TAG);
    await bmc.settings.change(({ dcmi }) => ({ dcmi: { ...dcmi, assetTag: text.toString('latin1') } }));
    return Buffer.of(text.length);
  },
});

function tagBytes(bmc: Bmc): Buffer {
  return assetTagBytes(bmc).subarray(0, MAX_ASSET_TAG);
}
