import { expect, it } from 'vitest';
import { adviceOf } from './advice.ts';

it.each([
  ['See its log.', { before: 'See its log.', command: undefined, after: '' }],
  [
    'kubectl scale -n vms deployment web --replicas=1',
    { before: '', command: 'kubectl scale -n vms deployment web --replicas=1', after: '' },
  ],
  [
    'See its pods: kubectl get pods -n vms -l a=b; and their log.',
    { before: 'See its pods: ', command: 'kubectl get pods -n vms -l a=b', after: '; and their log.' },
  ],
  ['Ask again with kubectl get pods.', { before: 'Ask again with ', command: 'kubectl get pods', after: '' }],
])('finds the command in %j', (todo, advice) => {
  expect(adviceOf(todo)).toEqual(advice);
});
