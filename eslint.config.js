import tseslint from 'typescript-eslint';
import { environmentAtTheEdge, importTable } from './eslint.boundaries.ts';

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `const { dropped: _, ...rest }` is how a copy without a field is made.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // `Promise<Result | void>` lets a callback end without a return.
      '@typescript-eslint/no-invalid-void-type': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      // Counts `??` and `?.` too.
      complexity: ['error', 20],
      'max-depth': ['error', 4],
    },
  },
  importTable,
  environmentAtTheEdge,
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
);
