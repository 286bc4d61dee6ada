import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';

const labels = { app: 'web', tier: 'front', size: '5' };

describe('a label selector', () => {
  it.each([
    '',
    'app=web',
    'app==web',
    'app!=db',
    'app in (db, web)',
    'app notin (db)',
    'missing notin (a)',
    'app',
    '!missing',
    'size>4',
    'size<6',
    'app=web,tier=front',
    'missing!=x',
  ])('%j matches', (text) => {
    expect(parseLabelSelector(text)(labels)).toBe(true);
  });

  it.each([
    'app=db',
    'app!=web',
    'app in (db)',
    'app notin (web,db)',
    'missing',
    '!app',
    'size>5',
    'app>1',
    'app=web,tier=back',
    'app=',
  ])('%j does not match', (text) => {
    expect(parseLabelSelector(text)(labels)).toBe(false);
  });

  it.each(['a==,,b', 'a in (b', 'a in b', 'a!', '=b', 'a=b c', 'size>x', 'a b'])('%j is refused with 400', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });

  it('matches objects without labels by what is absent', () => {
    expect(parseLabelSelector('!a')(undefined)).toBe(true);
    expect(parseLabelSelector('constructor')(undefined)).toBe(false);
  });
});
