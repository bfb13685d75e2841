import { render } from 'preact';
import './ui/tokens.css';
import './ui/ui.css';
import './ui/list-table.css';
import { App } from './app.jsx';
import { chooseTheme, themeChoice } from './ui/theme-choice.js';

const page = document.getElementById('page');
if (page === null) throw new Error('index.html has no element with the id "page"');
chooseTheme(themeChoice.value);
render(<App />, page);
