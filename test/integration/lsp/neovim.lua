-- After the configuration of editors/neovim.
vim.cmd('filetype on')
vim.cmd('edit ' .. vim.env.PIPELINE)
local buffer = vim.api.nvim_get_current_buf()
local function wait(what, test)
  if not vim.wait(60000, test, 20) then
    print('no ' .. what .. ': ' .. vim.inspect(vim.diagnostic.get(buffer)))
    vim.cmd('cquit 1')
  end
end
local function find(code)
  for _, one in ipairs(vim.diagnostic.get(buffer)) do
    if one.code == code or (one.user_data and one.user_data.lsp and one.user_data.lsp.code == code) then return one end
  end
end
wait('diagnostic', function() return find('syntax/missing_comma') ~= nil end)
local found = find('syntax/missing_comma')
io.stdout:write('diagnostic: line ' .. (found.lnum + 1) .. ': ' .. found.message .. '\n')
-- apply fix
vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
vim.ui.select = function(items, options, choose) choose(items[1], 1) end
vim.lsp.buf.code_action()
wait('fix', function() return vim.api.nvim_buf_get_lines(buffer, 4, 5, false)[1]:find('",') ~= nil end)
io.stdout:write('fixed: ' .. vim.api.nvim_buf_get_lines(buffer, 4, 5, false)[1] .. '\n')
wait('end of the finding', function() return find('syntax/missing_comma') == nil end)
vim.api.nvim_win_set_cursor(0, { 5, 5 })
vim.lsp.buf.rename('design')
wait('renaming', function() return vim.api.nvim_buf_get_lines(buffer, 5, 6, false)[1]:find('design') ~= nil end)
io.stdout:write('renamed: ' .. vim.api.nvim_buf_get_lines(buffer, 5, 6, false)[1] .. '\n')
vim.cmd('silent write')
vim.cmd('qall!')
