// A small language, from which ANTLR makes a parser. The benchmark makes copies with numbered names.
grammar Language;
file : declaration* EOF ;
declaration : classDeclaration | functionDeclaration | variableDeclaration ;
classDeclaration : 'class' NAME typeParameters? ('extends' type)? ('implements' type (',' type)*)? '{' member* '}' ;
member : modifier* (functionDeclaration | variableDeclaration | classDeclaration) ;
modifier : 'public' | 'private' | 'static' | 'final' | 'abstract' ;
typeParameters : '<' NAME (',' NAME)* '>' ;
functionDeclaration : 'fun' NAME typeParameters? '(' parameters? ')' (':' type)? (block | ';') ;
parameters : parameter (',' parameter)* ;
parameter : NAME ':' type ('=' expression)? ;
variableDeclaration : ('val' | 'var') NAME (':' type)? ('=' expression)? ';' ;
type : NAME ('.' NAME)* ('<' type (',' type)* '>')? ('[' ']')* '?'? ;
block : '{' statement* '}' ;
statement : block | variableDeclaration | ifStatement | whileStatement | forStatement | tryStatement | switchStatement
          | 'return' expression? ';' | 'break' ';' | 'continue' ';' | 'throw' expression ';' | expression ';' ;
ifStatement : 'if' '(' expression ')' statement ('else' statement)? ;
whileStatement : 'while' '(' expression ')' statement | 'do' statement 'while' '(' expression ')' ';' ;
forStatement : 'for' '(' NAME 'in' expression ')' statement ;
tryStatement : 'try' block ('catch' '(' NAME ':' type ')' block)* ('finally' block)? ;
switchStatement : 'switch' '(' expression ')' '{' (('case' expression | 'default') ':' statement*)* '}' ;
expression : primary
           | expression '.' NAME
           | expression '[' expression ']'
           | expression '(' (expression (',' expression)*)? ')'
           | ('-' | '!' | '~' | '++' | '--') expression
           | expression ('++' | '--')
           | expression ('*' | '/' | '%') expression
           | expression ('+' | '-') expression
           | expression ('<<' | '>>') expression
           | expression ('<' | '<=' | '>' | '>=') expression
           | expression ('==' | '!=') expression
           | expression '&' expression
           | expression '^' expression
           | expression '|' expression
           | expression '&&' expression
           | expression '||' expression
           | <assoc=right> expression '?' expression ':' expression
           | <assoc=right> expression ('=' | '+=' | '-=' | '*=') expression ;
primary : '(' expression ')' | NAME | NUMBER | STRING | 'true' | 'false' | 'null' | 'this' | 'new' type '(' ')' | lambda | list ;
lambda : '{' (NAME (',' NAME)*)? '->' statement* '}' ;
list : '[' (expression (',' expression)*)? ']' ;
NAME : [a-zA-Z_] [a-zA-Z_0-9]* ;
NUMBER : [0-9]+ ('.' [0-9]+)? ([eE] [+-]? [0-9]+)? ;
STRING : '"' (~["\\\r\n] | '\\' .)* '"' ;
COMMENT : '/*' .*? '*/' -> skip ;
LINE : '//' ~[\r\n]* -> skip ;
BLANK : [ \t\r\n]+ -> skip ;
