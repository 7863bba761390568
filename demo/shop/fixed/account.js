// The field comes with its value: nobody can type into it before.
const form = document.getElementById('account');
form.innerHTML = '<label>E-mail <input id="email" autocomplete="off"></label>';
form.querySelector('input').value = localStorage.getItem('email') ?? 'you@example.org';
