import { render } from 'preact';
import { applyTheme } from '../common/theme-switch.tsx';
import { App } from './app.tsx';
import { takeKey } from './data/session.ts';
import '../common/theme.css';
import '../common/components.css';
import '../common/frame.css';
import './fleet.css';

applyTheme();
const page = document.getElementById('page');
if (page !== null) {
  page.textContent = '';
  render(<App linkKey={takeKey()} />, page);
}
