import { render } from 'preact';
import '../../../../../src/web/ui/tokens.css';
import '../../../../../src/web/ui/ui.css';
import '../../../../../src/web/run/run.css';
import '../../../../../src/web/playground/playground.css';
import './preview.css';
import { PreviewApp } from './preview-app.jsx';

const page = document.getElementById('preview');
if (page === null) throw new Error('the page has no element with the id "preview"');
render(<PreviewApp />, page);
